/*
 * mhd-load.h - load libmicrohttpd for --listen. With GnuTLS and what that needs
 * it takes longer to load than the rest of the start of prof-record.
 */
#ifndef MHD_LOAD_H
#define MHD_LOAD_H

#include <microhttpd.h>

#include "lib/base/dynload.h"

/* The functions in use. */
#define MHD_CALLS(F, p)                                                        \
	F(p, add_response_header)                                              \
	F(p, create_response_from_buffer)                                      \
	F(p, destroy_response)                                                 \
	F(p, get_connection_info)                                              \
	F(p, get_connection_values)                                            \
	F(p, get_daemon_info)                                                  \
	F(p, get_timeout)                                                      \
	F(p, lookup_connection_value)                                          \
	F(p, queue_response)                                                   \
	F(p, quiesce_daemon)                                                   \
	F(p, resume_connection)                                                \
	F(p, run)                                                              \
	F(p, start_daemon)                                                     \
	F(p, stop_daemon)                                                      \
	F(p, suspend_connection)

DYNLOAD(mhd, MHD_, MICROHTTPD_SONAME, MHD_CALLS)

#endif
