/* s3.c - any bytes as a list of objects, and as an error, of an S3 server. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/s3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check_page(const struct s3_page *page, size_t n)
{
	size_t all = 0;

	for (size_t i = 0; i < page->n; i++) {
		size_t len = strlen(page->key[i]);

		if (!len || page->key[i][len - 1] == '/')
			abort();
		all += len + strlen("<Key></Key>");
	}
	/* Entities are shorter as UTF-8. */
	if (all > n || (page->token && !*page->token))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct s3_page page;
	struct prof_err err;
	char code[40];

	if (s3_page_parse(&page, data, n, &err) == PROF_OK)
		check_page(&page, n);
	s3_page_release(&page);
	s3_error_code(data, n, code, sizeof(code));
	if (strlen(code) >= sizeof(code))
		abort();
	return 0;
}
