/*
 * pprof.h - callgrind's format with the bytes of pprof -callgrind, for scripts
 * that know these and for comparing the two. As pprof has it, calls have the
 * addresses of their callees, and no objects; viewers do better with
 * callgrind_write().
 */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include <stdio.h>

struct profile;

/* Write that column of p, which is changed: its drop_frames are applied. Dies
 * of errors. */
void export_pprof(struct profile *p, const char *sample_index, FILE *out);

#endif
