/*
 * path-facts.h - what the path of a profile in an archive says: when it is
 * from, and from where. The paths of prof-fetch, prof-record and most scripts
 * are made of dates, times, hosts and words:
 *
 *	web1/heap/2026-11-20/10/1500.pb.gz
 *	2026-11-20/web1-101500-heap.pb.gz
 */
#ifndef HISTORY_PATH_FACTS_H
#define HISTORY_PATH_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The time in a path, UTC: a date YYYY-MM-DD or YYYYMMDD, then of the words
 * after it those of 6 digits (HHMMSS), 4 (HHMM, or MMSS after an hour) and 2
 * (an hour, then a minute, then a second); a T before and a Z after them do not
 * matter, nor do the digits of the host. False if there is no date.
 */
bool path_time(const char *path, int64_t *time_ns);

/*
 * The host in a path, *n bytes of it: the first folder with a letter in its
 * name, or a dot as an IP address has; or else what the file's name has before
 * "-" and a date, or the last "-" and HHMMSS or HHMM, or the first "-" and a
 * digit, if that is such a name. *n is 0 if there is none.
 */
const char *path_host(const char *path, size_t *n);

#endif
