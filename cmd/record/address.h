/* address.h - where a server listens. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include "lib/base/status.h"

#define ADDRESS_MAX 1100 /* bytes of a name, with its NUL */

/*
 * Listen at where, "[HOST:]PORT": at the loopback address without a host, at
 * all addresses for "*"; port 0 is any free one. *fd is the socket, which is
 * non-blocking; name is set to its address, "127.0.0.1:43211". PROF_EUSAGE:
 * where is invalid; PROF_EIO, PROF_ENOMEM.
 */
enum prof_status address_listen(const char *where, int *fd,
				char name[ADDRESS_MAX],
				struct prof_err *err) MUST_USE;

/*
 * The host part of where; the caller's. NULL: there is none, it is "*", or
 * there is no memory.
 */
char *address_host(const char *where);

#endif
