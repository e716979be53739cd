/*
 * host.h - by which names a server may be asked. A page in a browser can be
 * from a host whose name is the attacker's and whose address, a moment later,
 * is ours (DNS rebinding); the browser then sends that name as the Host. So a
 * name that is not known to be ours is refused.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>

/*
 * Is header, the value of a request's Host ("name:port", "[::1]:80"), one that
 * no stranger can have: localhost and names below it, an address, or one of
 * ours? ours: names, ended by NULL; upper and lower case are one. What is no
 * host at all is refused.
 */
bool host_is_ours(const char *header, const char *const *ours);

#endif
