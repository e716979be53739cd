/*
 * embed.c - run by the build: text files as C arrays, so that a command needs
 * no files at run time.
 *
 *	embed NAME FILE... [-- NAME FILE...]...   > header
 *
 * For each NAME: `static const char NAME[]`, all its files in a row, and
 * `NAME_sha256`, their SHA-256 in base64, as content policies want it. Files
 * that end in .mjs are parts of one script: their lines that begin with
 * "import " or "export " are left out, shorten.h makes it short, and it is
 *wrapped in one function.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shorten.h"

struct text {
	unsigned char *s;
	size_t n, cap;
};

static void
fail(const char *what, const char *name)
{
	fprintf(stderr, "embed: %s: %s\n", name, what);
	exit(1);
}

static void
text_add(struct text *t, const char *s, size_t n)
{
	if (t->n + n > t->cap) {
		t->cap = (t->n + n) * 2;
		t->s = realloc(t->s, t->cap);
		if (!t->s)
			fail("out of memory", "realloc");
	}
	memcpy(t->s + t->n, s, n);
	t->n += n;
}

/* --- SHA-256, FIPS 180-4 --- */

static uint32_t
rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* The first 32 bits of the fractional part of the n-th root of each prime. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void
sha_block(uint32_t h[8], const unsigned char *p)
{
	uint32_t w[64], v[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(v, h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t e = v[4], a = v[0];
		uint32_t t = v[7] + constants[i] + w[i] +
			     (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			     ((e & v[5]) ^ (~e & v[6]));
		uint32_t u = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t;
		v[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

static void
sha256(const struct text *t, unsigned char out[32])
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	struct text all = { 0 };
	unsigned char pad[72] = { 0x80 };
	size_t n_pad = (119 - t->n % 64) % 64 + 1;
	uint64_t bits = (uint64_t)t->n * 8;

	for (int i = 0; i < 8; i++)
		pad[n_pad + i] = (unsigned char)(bits >> (56 - 8 * i));
	text_add(&all, (char *)t->s, t->n);
	text_add(&all, (char *)pad, n_pad + 8);
	for (size_t i = 0; i < all.n; i += 64)
		sha_block(h, all.s + i);
	for (int i = 0; i < 32; i++)
		out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
	free(all.s);
}

static void
put_base64(const unsigned char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)s[i] << 16;

		if (i + 1 < n)
			v |= (uint32_t)s[i + 1] << 8;
		if (i + 2 < n)
			v |= s[i + 2];
		putchar(digits[v >> 18]);
		putchar(digits[v >> 12 & 63]);
		putchar(i + 1 < n ? digits[v >> 6 & 63] : '=');
		putchar(i + 2 < n ? digits[v & 63] : '=');
	}
}

/* --- files --- */

static void
read_file(struct text *t, const char *name, bool is_part)
{
	char line[4096];
	FILE *f = fopen(name, "r");

	if (!f)
		fail("cannot be read", name);
	while (fgets(line, sizeof(line), f)) {
		if (!strchr(line, '\n'))
			fail("a line is too long, or the last has no end",
			     name);
		if (is_part && !strcmp(line + strspn(line, "\t"), ";\n"))
			fail("an empty statement", name);
		/* Modules become one. */
		if (!is_part || (strncmp(line, "import ", 7) != 0 &&
				 strncmp(line, "export ", 7) != 0))
			text_add(t, line, strlen(line));
	}
	fclose(f);
}

static void
put_array(const char *name, const struct text *t)
{
	unsigned char digest[32];

	printf("static const char %s[] = {", name);
	for (size_t i = 0; i < t->n; i++)
		printf("%s%d,", i % 20 ? "" : "\n", (signed char)t->s[i]);
	printf("\n0 };\n");
	sha256(t, digest);
	printf("static const char %s_sha256[] __attribute__((unused)) = \"",
	       name);
	put_base64(digest, sizeof(digest));
	printf("\";\n");
}

int
main(int argc, char **argv)
{
	int i = 1;

	printf("/* made by embed.c */\n");
	while (i < argc) {
		const char *name = argv[i++];
		struct text t = { 0 };
		bool is_script = false;

		for (; i < argc && strcmp(argv[i], "--"); i++) {
			size_t n = strlen(argv[i]);
			bool is_part =
				n > 4 && !strcmp(argv[i] + n - 4, ".mjs");

			is_script |= is_part;
			read_file(&t, argv[i], is_part);
		}
		if (is_script) {
			text_add(&t, "", 1);
			unsigned char *parts = t.s;

			t.s = (unsigned char *)script_shorten((char *)parts,
							      t.n);
			t.n = strlen((char *)t.s);
			free(parts);
		}
		put_array(name, &t);
		free(t.s);
		i++;
	}
	return fflush(stdout) || ferror(stdout);
}
