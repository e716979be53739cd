/*
 * checked-file.h - files of a database whose pages have a checksum, in the
 * bytes that SQLite leaves free at the end of each: a disk that changes bits
 * makes an error SQLITE_CORRUPT of a wrong answer. Who forges a page forges its
 * checksum too, so readers of rows check what they use all the same.
 */
#ifndef HISTORY_CHECKED_FILE_H
#define HISTORY_CHECKED_FILE_H

#define CHECKED_FILE "profpipe" /* the name for sqlite3_open_v2() */
/* Bytes of a page for it. No bit that changes makes a 0 of this number, by
 * which a database without checksums is known. */
#define CHECKED_FILE_RESERVE 6

/* Make that name known to SQLite. Returns a code of SQLite. */
int checked_file_register(void);

#endif
