/*
 * cgroup.h - the control group of a process, and the container that its path
 * names. Paths are untrusted: a user may make groups of any name.
 */
#ifndef PERF_CGROUP_H
#define PERF_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CGROUP_PATH = 512, /* longer ones keep their end */
	CGROUP_ID = 64,    /* a container's number or name, cut if longer */
};

/* The path in the text of /proc/PID/cgroup: of version 2, or of the first
 * hierarchy of version 1 that has one. "/" if all are roots. */
void cgroup_parse(const char *text, char path[CGROUP_PATH]);

/* Read that of a process. False: it has ended. */
bool cgroup_read(int32_t pid, char path[CGROUP_PATH]);

/*
 * The innermost container in a path: the first twelve digits of the number that
 * docker, containerd, CRI-O or podman gave it, or its name in LXC or
 * systemd-nspawn. False: it is in none.
 */
bool cgroup_container(const char *path, char id[CGROUP_ID]);

#endif
