/*
 * host.h - check the Host of a request, against DNS rebinding: an attacker's
 * web page changes the address of its host name to ours, and the browser sends
 * that name as Host. So unknown names are refused.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>

/*
 * Is header, the value of a request's Host ("name:port", "[::1]:80"), localhost
 * or a name below it, an address, or one of ours? ours: names, ended by NULL;
 * case is ignored. A value that is not a host is refused.
 */
bool host_is_ours(const char *header, const char *const *ours);

#endif
