/*
 * split.h - split units, in .dwo files or in one .dwp package (DWARF 5, 7.3.2
 * and 7.3.5).
 */
#ifndef DWARF_SPLIT_H
#define DWARF_SPLIT_H

#include <pthread.h>
#include <stdbool.h>

#include "file.h"
#include "lib/base/hashtab.h"
#include "symbols/elf/object.h"
#include "unit.h"

/* Another file, and the DWARF in it. All 0: not open. */
struct dwarf_object {
	struct object object;
	struct dwarf_file file;
};

/* One that is not open is allowed. */
void dwarf_object_close(struct dwarf_object *o);

/* Open the package of all split units of main: *.dwp beside it. */
bool split_open_package(struct dwarf_object *o, const struct object *main);

/*
 * The split unit of each file that was opened, so that files without it are not
 * opened again. Shared by threads; initialize as { .lock =
 * PTHREAD_MUTEX_INITIALIZER }.
 */
struct split_seen {
	pthread_mutex_t lock;
	struct hashtab at; /* by path */
	struct split_path *path;
	size_t cap;
};

void split_seen_release(struct split_seen *seen);

/*
 * Find the split unit of a skeleton: in package if that is open, else in the
 * .dwo file that it names, below the directory where it was compiled or beside
 * main. *o is that file, or not open. false: not found, and unpack_unread().
 */
bool split_find_unit(const struct dwarf_unit *skeleton,
		     const struct object *main,
		     const struct dwarf_object *package,
		     struct split_seen *seen, struct dwarf_budget *budget,
		     struct dwarf_object *o, struct dwarf_unit *out);

#endif
