/*
 * trust.h - which files a page may show as sources. The profile names them, and
 * may be a stranger's; the page may be sent to others, or published.
 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>

struct profile;

struct trust {
	const struct profile *p;
	const char *source_path; /* of --source-path; NULL or "": none */
};

/*
 * May the page have the text of the file at path? It is below the working
 * folder, one of the source path, or where systems and Go keep sources. Or it
 * is one that all users may read, of root or this user, and a binary of theirs
 * that the profile was measured in, by its build-id, names such a file in its
 * debugging information. Symbolic links are followed first. ctx is a struct
 * trust.
 */
bool trust_source(void *ctx, const char *path);

#endif
