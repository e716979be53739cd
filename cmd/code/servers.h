/*
 * servers.h - debuginfod servers, which are asked for binaries and sources that
 * are not on this machine; only if the user says so.
 */
#ifndef SERVERS_H
#define SERVERS_H

#include <stdbool.h>
#include <stddef.h>

struct network;
struct servers;

/*
 * The servers that n names, or NULL if it names none. What they send is at most
 * max_bytes. The result is the caller's, for servers_close(). Dies.
 */
struct servers *servers_open(const struct network *n, size_t max_bytes);
void servers_close(struct servers *s); /* NULL is allowed */

/*
 * Callbacks of symbols/resolve/resolve.h and sources.h: ctx is a struct
 * servers, the result a path for free(), or NULL.
 */
char *servers_binary(void *ctx, const char *build_id, bool want_debug);
char *servers_source(void *ctx, const char *build_id, const char *path);

#endif
