/*
 * cgroup.c - see cgroup.h. What container managers call their groups:
 *
 *	/docker/ID
 *	/system.slice/docker-ID.scope
 *	/kubepods/burstable/podUID/ID
 *	/kubepods.slice/kubepods-podUID.slice/cri-containerd-ID.scope
 *	/kubepods-podUID.slice:cri-containerd:ID
 *	/machine.slice/libpod-ID.scope/container
 *	/lxc/NAME  /lxc.payload/NAME  /lxc.payload.NAME
 *	/machine.slice/machine-NAME.scope
 *	/machine.slice/systemd-nspawn@NAME.service/payload
 *
 * ID is 64 hexadecimal digits. In a NAME of systemd, "\x2d" is a dash.
 */
#include "config.h"

#include "cgroup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "record/procfs.h"

enum { ID_DIGITS = 64, SHOWN_DIGITS = 12 };

/* A part of a path: n bytes at s. */
struct part {
	const char *s;
	size_t n;
};

static void
copy_end(char path[CGROUP_PATH], const char *s, size_t n)
{
	if (n >= CGROUP_PATH) {
		s += n - (CGROUP_PATH - 1);
		n = CGROUP_PATH - 1;
	}
	memcpy(path, s, n);
	path[n] = '\0';
}

void
cgroup_parse(const char *text, char path[CGROUP_PATH])
{
	bool any = false;

	strcpy(path, "/");
	/* "HIERARCHY:CONTROLLERS:PATH"; version 2 has hierarchy 0. */
	for (const char *row = text; *row; row += *row == '\n') {
		size_t n = strcspn(row, "\n");
		const char *end = row + n, *at = memchr(row, ':', n);
		bool is_v2 = !strncmp(row, "0::", 3);

		if (at)
			at = memchr(at + 1, ':', (size_t)(end - at) - 1);
		if (at && end - at > 2 && (is_v2 || !any)) {
			copy_end(path, at + 1, (size_t)(end - at) - 1);
			any = true;
		}
		row = end;
	}
}

bool
cgroup_read(int32_t pid, char path[CGROUP_PATH])
{
	size_t n;
	char *text = procfs_read(pid, "cgroup", &n);

	cgroup_parse(text ? text : "", path);
	free(text);
	return n > 0;
}

/* Is it what follows before in p? Then p becomes that. */
static bool
take_prefix(struct part *p, const char *before)
{
	size_t n = strlen(before);

	if (p->n <= n || memcmp(p->s, before, n) != 0)
		return false;
	p->s += n;
	p->n -= n;
	return true;
}

static void
drop_suffix(struct part *p, const char *suffix)
{
	size_t n = strlen(suffix);

	if (p->n > n && !memcmp(p->s + p->n - n, suffix, n))
		p->n -= n;
}

static int
digit_of(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10;
}

/* Copy a name, with systemd's "\x2d" undone. */
static void
copy_name(char id[CGROUP_ID], struct part p)
{
	size_t n = 0;

	while (p.n && n < CGROUP_ID - 1) {
		size_t step = 1;

		id[n] = *p.s;
		if (p.n >= 4 && p.s[0] == '\\' && p.s[1] == 'x' &&
		    isxdigit((unsigned char)p.s[2]) &&
		    isxdigit((unsigned char)p.s[3])) {
			id[n] = (char)(digit_of(p.s[2]) << 4 |
				       digit_of(p.s[3]));
			step = 4;
		}
		n += id[n] != '\0';
		p.s += step;
		p.n -= step;
	}
	id[n] = '\0';
}

/* Is its end, from a dash or colon on, a number of a container? */
static bool
take_number(struct part p, char id[CGROUP_ID])
{
	const char *s;

	if (p.n < ID_DIGITS)
		return false;
	s = p.s + p.n - ID_DIGITS;
	if ((p.n > ID_DIGITS && s[-1] != '-' && s[-1] != ':') ||
	    memmem(p.s, p.n, "-conmon-", 8)) /* it waits for the container */
		return false;
	for (size_t i = 0; i < ID_DIGITS; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	copy_name(id, (struct part){ s, SHOWN_DIGITS });
	return true;
}

static bool
is_part(struct part p, const char *s)
{
	return p.n == strlen(s) && !memcmp(p.s, s, p.n);
}

/* Is part the group of a container? above: the part before it. */
static bool
take_part(struct part part, struct part above, char id[CGROUP_ID])
{
	drop_suffix(&part, ".scope");
	drop_suffix(&part, ".service");
	if (take_number(part, id))
		return true;
	if (!take_prefix(&part, "lxc.payload.") &&
	    !take_prefix(&part, "machine-") &&
	    !take_prefix(&part, "systemd-nspawn@") && !is_part(above, "lxc") &&
	    !is_part(above, "lxc.payload"))
		return false;
	copy_name(id, part);
	return *id != '\0';
}

/* The part of a path that ends at end; path[0] is '/'. */
static struct part
part_before(const char *path, const char *end)
{
	const char *at = end;

	while (at > path && at[-1] != '/')
		at--;
	return (struct part){ at, (size_t)(end - at) };
}

bool
cgroup_container(const char *path, char id[CGROUP_ID])
{
	const char *end = path + strlen(path);

	while (end > path) {
		struct part part = part_before(path, end), above = { path, 0 };

		end = part.s > path ? part.s - 1 : path;
		if (end > path)
			above = part_before(path, end);
		if (part.n && take_part(part, above, id))
			return true;
	}
	return false;
}
