/* host.c - see host.h. */
#include "config.h"

#include "host.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { MAX_NAME = 255 }; /* of a DNS name; addresses are shorter */

/* Is at ":" and digits, or nothing? */
static bool
is_port(const char *at)
{
	if (!*at)
		return true;
	if (*at++ != ':')
		return false;
	while (isdigit((unsigned char)*at))
		at++;
	return !*at;
}

/* "[2001:db8::1]:80"; a zone ("%eth0") is not part of a Host. */
static bool
is_v6(const char *header)
{
	const char *end = strchr(header, ']');
	size_t n = end ? (size_t)(end - header) - 1 : 0;
	char text[INET6_ADDRSTRLEN];
	struct in6_addr addr;

	if (!end || n >= sizeof(text) || !is_port(end + 1))
		return false;
	memcpy(text, header + 1, n);
	text[n] = '\0';
	return inet_pton(AF_INET6, text, &addr) == 1;
}

/* localhost, x.localhost (RFC 6761). */
static bool
is_localhost(const char *name)
{
	static const char suffix[] = ".localhost";
	size_t n = strlen(name), n_suffix = sizeof(suffix) - 1;

	return !strcasecmp(name, suffix + 1) ||
	       (n > n_suffix && !strcasecmp(name + n - n_suffix, suffix));
}

bool
host_is_ours(const char *header, const char *const *ours)
{
	size_t n = strcspn(header, ":");
	char name[MAX_NAME + 1];
	struct in_addr addr;

	if (*header == '[')
		return is_v6(header);
	if (n == 0 || n > MAX_NAME || !is_port(header + n))
		return false;
	memcpy(name, header, n);
	if (n > 1 && name[n - 1] == '.') /* "web1.", a fully qualified name */
		n--;
	name[n] = '\0';
	if (inet_pton(AF_INET, name, &addr) == 1 || is_localhost(name))
		return true;
	for (; *ours; ours++)
		if (!strcasecmp(name, *ours))
			return true;
	return false;
}
