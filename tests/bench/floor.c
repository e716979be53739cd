/*
 * floor.c - the physical floor of reading a profile, for the bench: inflate it
 * with the library that the commands use, and walk once over every varint. It
 * keeps nothing; no reader can be faster.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/stream/stream.h"
#include "lib/wire/wire.h"

/* Fields that are messages, a bit each: of Profile, of Sample, of Location. */
enum { OF_PROFILE = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 11 };

static uint64_t
walk_packed(const uint8_t *p, const uint8_t *end)
{
	uint64_t sum = 0, v;

	while (p < end) {
		if (*p < 0x80)
			v = *p++;
		else if (end - p > 2 && p[1] < 0x80)
			v = (p[0] & 0x7fu) | (uint64_t)p[1] << 7, p += 2;
		else if (!(p = wire_varint(p, end, &v)))
			break;
		sum += v;
	}
	return sum;
}

static uint64_t
walk(const uint8_t *p, const uint8_t *end, unsigned messages, unsigned depth)
{
	struct wire_field f;
	uint64_t sum = 0;

	while (p < end && (p = wire_next(p, end, &f))) {
		sum += f.value;
		if (f.type != WIRE_BYTES)
			continue;
		if (f.number < 16 && messages >> f.number & 1) {
			unsigned inner = 0;

			if (depth == 0 && f.number == 2)
				inner = 1 << 3; /* Sample.label */
			if (depth == 0 && f.number == 4)
				inner = 1 << 4; /* Location.line */
			sum += walk(f.data, f.data + f.value, inner, depth + 1);
		} else if (depth == 1) {
			sum += walk_packed(f.data, f.data + f.value);
		}
	}
	return sum;
}

int
main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct buf raw = { 0 };
	struct prof_err err;

	if (fd < 0) {
		fprintf(stderr, "usage: floor profile.pb.gz\n");
		return 2;
	}
	if (stream_read(fd, STREAM_MAX_SIZE, &raw, &err) != PROF_OK) {
		fprintf(stderr, "floor: %s\n", err.msg);
		return 2;
	}
	printf("%zu bytes, sum %" PRIu64 "\n", raw.n,
	       walk(raw.data, raw.data + raw.n, OF_PROFILE, 0));
	buf_release(&raw);
	return 0;
}
