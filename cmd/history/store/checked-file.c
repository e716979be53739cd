/* checked-file.c - see checked-file.h. */
#include "config.h"

#include "checked-file.h"

#include <endian.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/wire/compress.h"

#define MIN_PAGE 512 /* shorter reads below are of the header alone */
#define MAX_PAGE 65536
#define SIZE_AT 16    /* of the header: bytes of a page, 1 for 65536 */
#define RESERVE_AT 20 /* of the header; 0: a database of another version */

/* The system's files, and those with checksums: other reads and writes. */
static sqlite3_vfs vfs;
static const sqlite3_vfs *system_vfs;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *system_methods;

static uint32_t
sum_of(const void *page, int n)
{
	return htole32(gzip_crc32(0, page, (size_t)n - sizeof(uint32_t)));
}

static bool
is_whole(const char *page, int n)
{
	uint32_t sum;

	if (n < MIN_PAGE)
		return false;
	memcpy(&sum, page + n - sizeof(sum), sizeof(sum));
	return sum == sum_of(page, n);
}

/*
 * Since 3.45, SQLite reads a long value's pages past its cache into the
 * caller's memory: without the checksum, and of the last one no more than it
 * needs. All of that page is read and checked.
 */
static int
read_part(sqlite3_file *f, void *out, int n, sqlite3_int64 at)
{
	unsigned char head[SIZE_AT + 2];
	char page[MAX_PAGE];
	int code = system_methods->xRead(f, head, sizeof(head), 0), size;

	if (code != SQLITE_OK)
		return code;
	size = head[SIZE_AT] << 8 | head[SIZE_AT + 1];
	if (size == 1)
		size = MAX_PAGE;
	if (n >= size || at % size)
		return SQLITE_CORRUPT;
	code = system_methods->xRead(f, page, size, at);
	if (code != SQLITE_OK)
		return code;
	memcpy(out, page, (size_t)n);
	return is_whole(page, size) ? SQLITE_OK : SQLITE_CORRUPT;
}

static int
read_page(sqlite3_file *f, void *out, int n, sqlite3_int64 at)
{
	int code = system_methods->xRead(f, out, n, at);

	if (code != SQLITE_OK || (n < MIN_PAGE && at < MIN_PAGE) ||
	    (!at && !((char *)out)[RESERVE_AT]) || is_whole(out, n))
		return code;
	return read_part(f, out, n, at);
}

static int
write_page(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
	char page[MAX_PAGE];
	uint32_t sum;

	if (n < MIN_PAGE || n > MAX_PAGE)
		return SQLITE_IOERR_WRITE;
	memcpy(page, data, (size_t)n);
	sum = sum_of(page, n);
	memcpy(page + n - sizeof(sum), &sum, sizeof(sum));
	return system_methods->xWrite(f, page, n, at);
}

/*
 * Journals have checksums of SQLite's own. One may name a journal of several
 * databases, which SQLite removes after it: ours never does, and a stranger's
 * could name any file.
 */
static int
open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags,
	  int *out)
{
	int code;

	f->pMethods = NULL;
	if (flags & SQLITE_OPEN_SUPER_JOURNAL)
		return SQLITE_CORRUPT;
	code = system_vfs->xOpen(v, name, f, flags, out);
	if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
		return code;
	if (!system_methods) {
		system_methods = f->pMethods;
		methods = *system_methods;
		methods.iVersion = 1; /* no mapping into memory */
		methods.xRead = read_page;
		methods.xWrite = write_page;
	}
	f->pMethods = &methods;
	return code;
}

int
checked_file_register(void)
{
	if (system_vfs)
		return SQLITE_OK;
	system_vfs = sqlite3_vfs_find(NULL);
	if (!system_vfs)
		return SQLITE_NOTFOUND;
	vfs = *system_vfs;
	vfs.zName = CHECKED_FILE;
	vfs.xOpen = open_file;
	return sqlite3_vfs_register(&vfs, 0);
}
