/*
 * mhd-load.h - load libmicrohttpd for --listen. With GnuTLS and what that needs
 * it takes longer to load than the rest of the start of prof-record.
 */
#ifndef MHD_LOAD_H
#define MHD_LOAD_H

#include <microhttpd.h>

#include "lib/base/dynload.h"
#include "lib/base/status.h"

/* The functions in use, without "MHD_". */
#define MHD_CALLS(F)                                                           \
	F(add_response_header)                                                 \
	F(create_response_from_buffer)                                         \
	F(destroy_response)                                                    \
	F(get_connection_info)                                                 \
	F(get_connection_values)                                               \
	F(get_daemon_info)                                                     \
	F(get_timeout)                                                         \
	F(lookup_connection_value)                                             \
	F(queue_response)                                                      \
	F(quiesce_daemon)                                                      \
	F(resume_connection)                                                   \
	F(run)                                                                 \
	F(start_daemon)                                                        \
	F(stop_daemon)                                                         \
	F(suspend_connection)

struct mhd_calls {
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
	MHD_CALLS(MHD_MEMBER)
#undef MHD_MEMBER
};

/*
 * Fill in *c. The library stays loaded until the process ends. PROF_ENOTSUP: it
 * is not installed.
 */
static inline MUST_USE enum prof_status
mhd_load(struct mhd_calls *c, struct prof_err *err)
{
#define MHD_NAME(name) "MHD_" #name,
	static const char *const names[] = { MHD_CALLS(MHD_NAME) };
#undef MHD_NAME

	return dynload(MICROHTTPD_SONAME, names, sizeof(names) / sizeof(*names),
		       c, err);
}

#endif
