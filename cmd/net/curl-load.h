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

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

/* The functions in use. */
#define CURL_CALLS(F, p)                                                       \
	F(p, easy_cleanup)                                                     \
	F(p, easy_getinfo)                                                     \
	F(p, easy_init)                                                        \
	F(p, easy_setopt)                                                      \
	F(p, easy_strerror)                                                    \
	F(p, global_cleanup)                                                   \
	F(p, global_init)                                                      \
	F(p, multi_add_handle)                                                 \
	F(p, multi_cleanup)                                                    \
	F(p, multi_info_read)                                                  \
	F(p, multi_init)                                                       \
	F(p, multi_perform)                                                    \
	F(p, multi_poll)                                                       \
	F(p, multi_remove_handle)                                              \
	F(p, multi_setopt)                                                     \
	F(p, slist_append)                                                     \
	F(p, slist_free_all)

DYNLOAD(curl, curl_, CURL_SONAME, CURL_CALLS)

#endif
