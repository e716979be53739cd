/*
 * curl-load.h - load libcurl before the first request. Loading it and its
 * dependencies takes 6 ms, longer than most runs of prof-symbolize and
 * prof-list, which ask no server.
 */
#ifndef CURL_LOAD_H
#define CURL_LOAD_H

/* curl's type checks are macros in place of functions; here they are
 * pointers. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "lib/base/dynload.h"
#include "lib/base/status.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

/* The functions in use, without "curl_". */
#define CURL_CALLS(F)                                                          \
	F(easy_cleanup)                                                        \
	F(easy_getinfo)                                                        \
	F(easy_init)                                                           \
	F(easy_setopt)                                                         \
	F(easy_strerror)                                                       \
	F(global_cleanup)                                                      \
	F(global_init)                                                         \
	F(multi_add_handle)                                                    \
	F(multi_cleanup)                                                       \
	F(multi_info_read)                                                     \
	F(multi_init)                                                          \
	F(multi_perform)                                                       \
	F(multi_poll)                                                          \
	F(multi_remove_handle)                                                 \
	F(multi_setopt)                                                        \
	F(slist_append)                                                        \
	F(slist_free_all)

struct curl_calls {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
	CURL_CALLS(CURL_MEMBER)
#undef CURL_MEMBER
};

/*
 * Fill in *c. The library stays loaded until the process ends. PROF_ENOTSUP: it
 * is not installed.
 */
static inline MUST_USE enum prof_status
curl_load(struct curl_calls *c, struct prof_err *err)
{
#define CURL_NAME(name) "curl_" #name,
	static const char *const names[] = { CURL_CALLS(CURL_NAME) };
#undef CURL_NAME

	return dynload(CURL_SONAME, names, sizeof(names) / sizeof(*names), c,
		       err);
}

#endif
