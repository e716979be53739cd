/* anonymize.c - see anonymize.h. */
#include "config.h"

#include "anonymize.h"
#include "lib/base/regular.h"

#ifdef HAVE_NETTLE

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <nettle/hmac.h>

enum {
	KEY_MAX = 4096,
	DIGITS = 20, /* of 5 bits: among a billion names, p = 5e-13 of a
			collision */
};

/* x and 20 letters and digits: an identifier in any language. */
static void
keyed_name(void *ctx, const char *s, size_t n, char out[ANONYMOUS_MAX])
{
	static const char digit[] = "abcdefghijklmnopqrstuvwxyz234567";
	struct hmac_sha256_ctx *hmac = ctx;
	uint8_t hash[SHA256_DIGEST_SIZE];

	/* Computing the digest resets the state to the key. */
	hmac_sha256_update(hmac, n, (const uint8_t *)s);
	hmac_sha256_digest(hmac, sizeof(hash), hash);
	out[0] = 'x';
	for (int i = 0; i < DIGITS; i++) {
		int bit = i * 5;
		unsigned two = (unsigned)hash[bit / 8] << 8 | hash[bit / 8 + 1];

		out[i + 1] = digit[two >> (11 - bit % 8) & 31];
	}
	out[DIGITS + 1] = '\0';
}

static enum prof_status
read_key(const char *file, uint8_t key[KEY_MAX], size_t *n,
	 struct prof_err *err)
{
	int fd = regular_named(file);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
	bool failed;

	if (!f)
		return prof_fail(err, PROF_EIO, "%s: %s", file,
				 strerror(errno));
	*n = fread(key, 1, KEY_MAX, f);
	failed = ferror(f) || (*n == KEY_MAX && getc(f) != EOF);
	fclose(f);
	if (failed)
		return prof_fail(err, PROF_EIO,
				 "%s: cannot be read, or larger than %d bytes",
				 file, (int)KEY_MAX);
	if (*n < ANONYMIZE_KEY_MIN)
		return prof_fail(
			err, PROF_EUSAGE,
			"%s: a key has %d bytes or more; make one with "
			"'head -c 32 /dev/urandom'",
			file, (int)ANONYMIZE_KEY_MIN);
	return PROF_OK;
}

enum prof_status
anonymize(struct profile *p, const char *key_file, struct prof_err *err)
{
	struct hmac_sha256_ctx hmac;
	struct anonymous_hash h = { keyed_name, &hmac };
	uint8_t key[KEY_MAX];
	size_t n;
	enum prof_status st = read_key(key_file, key, &n, err);

	if (st != PROF_OK)
		return st;
	hmac_sha256_set_key(&hmac, n, key);
	return profile_anonymize(p, &h, err);
}

#else

enum prof_status
anonymize(struct profile *p, const char *key_file, struct prof_err *err)
{
	(void)p;
	(void)key_file;
	return prof_fail(err, PROF_ENOTSUP,
			 "--anonymize: this build has no nettle");
}

#endif
