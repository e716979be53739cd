/*
 * s3.h - objects of S3 and of what speaks its protocol, as sources of fetch.h.
 *
 *	s3://BUCKET/KEY		an object; the key as it is, not percent-encoded
 *	s3://BUCKET/PREFIX/	all objects whose keys begin with PREFIX/
 *	s3://BUCKET		all of them
 *
 * Requests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and
 * with AWS_SESSION_TOKEN if that is set; they go to AWS_REGION (us-east-1), or
 * to AWS_ENDPOINT_URL with the bucket in the path. Nothing else is consulted,
 * and none of these is in a message or a profile.
 */
#ifndef S3_H
#define S3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "source.h"

/* Is it an s3:// operand? Does it name a prefix, not an object? */
bool s3_is_url(const char *text);
bool s3_is_prefix(const char *text);

/*
 * The source of the object that text names, as source_parse(). PROF_EINVALID:
 * the text or a variable is wrong or missing; PROF_ENOMEM.
 */
enum prof_status s3_source(struct source *s, const char *text,
			   struct prof_err *err) MUST_USE;

/*
 * The source of a page of the list of a prefix: the first, or if token is not
 * NULL the one after the page that had it. Errors as s3_source().
 */
enum prof_status s3_list_source(struct source *s, const char *text,
				const char *token,
				struct prof_err *err) MUST_USE;

/*
 * The headers that sign a GET of s at that time, by AWS's version 4, each ended
 * by a line feed, as *lines, for free(). PROF_ENOTSUP: this build has no
 * nettle; PROF_ENOMEM.
 */
enum prof_status s3_sign(const struct source *s, time_t now, char **lines,
			 struct prof_err *err) MUST_USE;

/* A page of such a list. */
struct s3_page {
	char **key; /* n, as UTF-8; not those that end in "/", which are folders
		     */
	size_t n, cap;
	char *token; /* of the next page; NULL: this is the last */
};

/*
 * Read the n bytes of xml, a ListBucketResult. PROF_EFORMAT: it is none, or is
 * cut short; PROF_ENOMEM. Always end with s3_page_release().
 */
enum prof_status s3_page_parse(struct s3_page *page, const uint8_t *xml,
			       size_t n, struct prof_err *err) MUST_USE;
void s3_page_release(struct s3_page *page);

/*
 * The code of an error document, such as NoSuchKey, into out, which has room
 * for max bytes; "" if there is none. Its other fields may repeat the request.
 */
void s3_error_code(const uint8_t *xml, size_t n, char *out, size_t max);

#endif
