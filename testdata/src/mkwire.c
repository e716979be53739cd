/*
 * mkwire.c - writes the hand-made streams of this folder into the current
 * one: each breaks one rule of the format, or uses one that few producers use.
 *
 * Messages are written in a small notation, so that the table below can be
 * read beside profile.proto, and can say what no encoder would write:
 *
 *   5:12       field 5, varint 12 (also -1, 0x10)
 *   5{...}     field 5, a message or packed integers (without field: "12 ")
 *   5"main"    field 5, a string; \xHH is a byte
 *   5#8 5#4    field 5, fixed64 or fixed32, zeros
 *   5@3        only the tag of field 5 with wire type 3
 *   =ff 01=    bytes as they are
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf {
	unsigned char data[1 << 16];
	size_t len;
};

static void
put(struct buf *b, const void *p, size_t n)
{
	if (n > sizeof(b->data) - b->len) {
		fprintf(stderr, "mkwire: a message is too long\n");
		exit(1);
	}
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

static void
put_byte(struct buf *b, unsigned c)
{
	unsigned char u = (unsigned char)c;

	put(b, &u, 1);
}

static void
put_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(b, (unsigned)(v & 0x7f) | 0x80);
	put_byte(b, (unsigned)v);
}

/* Integers of either sign and any base, the whole 64 bits. */
static uint64_t
number(const char **s)
{
	int minus = **s == '-';
	char *end;
	uint64_t v;

	*s += minus;
	v = strtoull(*s, &end, 0);
	if (end == *s) {
		fprintf(stderr, "mkwire: no number at '%.20s'\n", *s);
		exit(1);
	}
	*s = end;
	return minus ? 0 - v : v;
}

static void
put_string(struct buf *b, const char **s)
{
	struct buf text = { .len = 0 };

	while (**s != '"') {
		if (!strncmp(*s, "\\x", 2)) {
			char hex[3] = { (*s)[2], (*s)[3], 0 };

			put_byte(&text, (unsigned)strtoul(hex, NULL, 16));
			*s += 4;
		} else {
			put_byte(&text, (unsigned char)*(*s)++);
		}
	}
	(*s)++;
	put_varint(b, text.len);
	put(b, text.data, text.len);
}

static void
put_raw(struct buf *b, const char **s)
{
	while (**s != '=') {
		char *end;

		put_byte(b, (unsigned)strtoul(*s, &end, 16));
		*s = end + (*end == ' ');
	}
	(*s)++;
}

/* Assemble text up to its end or to the brace that closes this message. */
static void
assemble(struct buf *b, const char **s)
{
	static const unsigned char zero[8];

	while (**s && **s != '}') {
		uint64_t field;

		if (**s == ' ') {
			(*s)++;
			continue;
		}
		if (**s == '=') {
			(*s)++;
			put_raw(b, s);
			continue;
		}
		field = number(s);
		switch (**s) {
		case ':':
			(*s)++;
			put_varint(b, field << 3);
			put_varint(b, number(s));
			break;
		case '{': {
			struct buf *sub = calloc(1, sizeof(*sub));

			if (!sub)
				exit(1);
			(*s)++;
			assemble(sub, s);
			(*s)++;
			put_varint(b, field << 3 | 2);
			put_varint(b, sub->len);
			put(b, sub->data, sub->len);
			free(sub);
			break;
		}
		case '"':
			(*s)++;
			put_varint(b, field << 3 | 2);
			put_string(b, s);
			break;
		case '#': {
			uint64_t n;

			(*s)++;
			n = number(s);
			put_varint(b, field << 3 | (n == 8 ? 1 : 5));
			put(b, zero, (size_t)n);
			break;
		}
		case '@':
			(*s)++;
			put_varint(b, field << 3 | number(s));
			break;
		default: /* an element of packed integers */
			put_varint(b, field);
		}
	}
}

static void
save(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(name, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
		perror(name);
		exit(1);
	}
}

static void
from_text(struct buf *b, const char *text)
{
	b->len = 0;
	assemble(b, &text);
	if (*text) {
		fprintf(stderr, "mkwire: stray brace at '%.20s'\n", text);
		exit(1);
	}
}

/* The whole small profile, in pieces, so that a row can leave out or change
 * one. */
#define TYPE "1{1:1 2:2} "
#define SAMPLE "2{1:1 2:5} "
#define MAPPING "3{1:1 2:0x400000 3:0x500000 5:4} "
#define LOCATION "4{1:1 2:1 3:0x401000 4{1:1 2:12}} "
#define FUNCTION "5{1:1 2:3 3:3 4:5 5:10} "
#define STRINGS                                                                \
	"6\"\" 6\"samples\" 6\"count\" 6\"main\" 6\"/bin/app\" 6\"main.c\" "   \
	"6\"user\" 6\"ann\" "
#define TABLES MAPPING LOCATION FUNCTION STRINGS
#define WHOLE TYPE SAMPLE TABLES

static const struct {
	const char *name, *text;
} streams[] = {
	/* Wire format. Unknown fields of every legal type, among them the
	 * greatest; integers packed, unpacked and mixed; strings before their
	 * users; fields out of order; singular fields given twice. */
	{ "good-wire",
	  "100:7 101#8 102#4 103\"skipped\" 536870911:1 " STRINGS FUNCTION
	  "11{1:2 2:1} 11{1:1 2:2} 12:9 12:1 "
	  "2{1{1 2 1} 1:2 1{1} 2:7 3{1:6 2:7 3:9 4:2} 99:1} 2{2{3} 1{1 2}} "
	  "4{3:1 3:0x401000 2:1 1:1 4{2:12 1:1 77#8} 4{1:1 2:14 3:2}} "
	  "4{1:2 2:1 3:0x402000 4{1:1} 5:2} " MAPPING TYPE },
	/* Ten bytes, the last with more bits than fit: they are dropped. */
	{ "good-varint",
	  TYPE "2{1:1 =10 ff ff ff ff ff ff ff ff ff 7f=} " TABLES },
	{ "good-dangling",
	  TYPE SAMPLE "4{1:1 2:77 3:0x401000 4{1:1}} " FUNCTION STRINGS },
	{ "good-zerolabel",
	  TYPE "2{1:1 2:5 3{1:6} 3{1:6 3:0 4:2} 3{1:6 2:7}} " TABLES },
	{ "good-nosample", TYPE TABLES },
	{ "good-nostack", TYPE "2{2:5} 2{2:6 3{1:6 2:7}} " STRINGS },
	{ "good-noperiod", WHOLE },
	{ "good-nul", TYPE SAMPLE LOCATION FUNCTION
	  "6\"\" 6\"samples\" 6\"count\" 6\"a\\x00b\\x1b[1m\" "
	  "6\"/bin/app\" 6\"\\xff\\x0a.c\" " },

	/* Validity. */
	{ "bad-notype", SAMPLE TABLES },
	{ "bad-values-many", TYPE "2{1:1 2:5} 2{1:1 2:5 2:6} " TABLES },
	{ "bad-values-none", TYPE "2{1:1} " TABLES },
	{ "bad-sample-location", TYPE "2{1:1 2:5} 2{1:99 1:1 2:5} " TABLES },
	{ "bad-sample-location0", TYPE "2{1:0 2:5} " TABLES },
	{ "bad-mapping-id0",
	  TYPE SAMPLE LOCATION FUNCTION STRINGS "3{2:0x1000 3:0x2000} " },
	{ "bad-mapping-twice", WHOLE MAPPING },
	{ "bad-function-id0", WHOLE "5{2:3} " },
	{ "bad-function-twice", WHOLE FUNCTION },
	{ "bad-location-id0", WHOLE "4{3:0x1000} " },
	{ "bad-location-twice", WHOLE LOCATION },
	{ "bad-line-function", WHOLE "4{1:2 4{1:7}} " },
	{ "bad-line-function0", WHOLE "4{1:2 4{2:7}} " },
	{ "bad-strings-none", TYPE SAMPLE MAPPING LOCATION FUNCTION },
	{ "bad-strings-first", TYPE SAMPLE MAPPING LOCATION FUNCTION
	  "6\"x\" 6\"samples\" 6\"count\" 6\"main\" 6\"a\" 6\"b\" " },
	{ "bad-string-type", "1{1:1 2:8} " SAMPLE TABLES },
	{ "bad-string-label", TYPE "2{1:1 2:5 3{1:8 2:1}} " TABLES },
	{ "bad-string-labelvalue", TYPE "2{1:1 2:5 3{1:6 2:800}} " TABLES },
	{ "bad-string-labelunit", TYPE "2{1:1 2:5 3{1:6 3:1 4:800}} " TABLES },
	{ "bad-string-mapping", TYPE SAMPLE
	  "3{1:1 2:0x400000 3:0x500000 5:4 6:8} " LOCATION FUNCTION STRINGS },
	{ "bad-string-function",
	  TYPE SAMPLE MAPPING LOCATION "5{1:1 2:4294967299} " STRINGS },
	{ "bad-string-file",
	  TYPE SAMPLE MAPPING LOCATION "5{1:1 2:3 4:8} " STRINGS },
	{ "bad-string-negative",
	  TYPE SAMPLE MAPPING LOCATION "5{1:1 2:-1} " STRINGS },
	{ "bad-string-drop", WHOLE "7:8 " },
	{ "bad-string-period", WHOLE "11{1:1 2:8} " },
	{ "bad-string-comment", WHOLE "13:3 13:8 " },
	{ "bad-string-default", WHOLE "14:-3 " },
	{ "bad-string-doc", WHOLE "15:8 " },
	{ "bad-concat",
	  WHOLE "9:1700000000000000000 " WHOLE "9:1700000001000000000 " },
	{ "bad-concat-notime", WHOLE WHOLE },

	/* Wire format, broken. */
	{ "bad-group", WHOLE "50@3 1:1 50@4 " },
	{ "bad-group-end", WHOLE "50@4 " },
	{ "bad-wire6", WHOLE "50@6 " },
	{ "bad-wire7", WHOLE "50@7 " },
	{ "bad-wire-sample", TYPE "2:5 " TABLES },
	{ "bad-wire-time", WHOLE "9\"soon\" " },
	{ "bad-wire-address",
	  TYPE SAMPLE MAPPING "4{1:1 3#8} " FUNCTION STRINGS },
	{ "bad-wire-string", WHOLE "6:1 " },
	{ "bad-wire-group", TYPE "2{1:1 2:5 50@3 50@4} " TABLES },
	{ "bad-varint-tag", WHOLE "=80 80 80 80 80 80 80 80 80 80 01=" },
	{ "bad-varint-value", WHOLE "=60 80 80 80 80 80 80 80 80 80 80 01=" },
	{ "bad-varint-packed",
	  TYPE "2{1{=80 80 80 80 80 80 80 80 80 80 01=} 2:5} " TABLES },
	{ "bad-varint-cut", WHOLE "=60 80 80=" },
	{ "bad-tag-cut", WHOLE "=e0=" },
	{ "bad-packed-cut", TYPE "2{1{=81=} 2:5} " TABLES },
	{ "bad-sub-cut", TYPE "2{1:1 =10 85=} " TABLES },
	{ "bad-sub-over", TYPE "2{1:1 2:5 =1a 05 08 01=} " TABLES },
	{ "bad-length-over", WHOLE "=12 7f 08 01=" },
	{ "bad-length-huge", WHOLE "=12 ff ff ff ff ff ff ff ff 7f=" },
	{ "bad-length-negative", WHOLE "=12 ff ff ff ff ff ff ff ff ff 01=" },
	{ "bad-length-none", WHOLE "=12=" },
	{ "bad-fixed64-cut", WHOLE "=91 03 00 00 00=" },
	{ "bad-fixed32-cut", WHOLE "=95 03 00=" },
	{ "bad-zeros", "=00 00 00 00 00 00 00 00 00 00 00 00=" },
};

static uint32_t
crc32_of(const unsigned char *p, size_t n)
{
	uint32_t c = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	return ~c;
}

static void
put_le(struct buf *b, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		put_byte(b, (unsigned)(v >> 8 * i) & 0xff);
}

/* A gzip member of one stored block: its bytes owe nothing to any deflate
 * library. */
static void
put_member(struct buf *b, const unsigned char *p, size_t n, uint32_t crc_flip,
	   uint32_t len_add)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0,
					      0,    0,    0, 0, 0xff };

	put(b, head, sizeof(head));
	put_byte(b, 1);
	put_le(b, n, 2);
	put_le(b, ~n & 0xffff, 2);
	put(b, p, n);
	put_le(b, crc32_of(p, n) ^ crc_flip, 4);
	put_le(b, n + len_add, 4);
}

static void
write_streams(struct buf *b)
{
	char name[64];

	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		from_text(b, streams[i].text);
		snprintf(name, sizeof(name), "%s.pb", streams[i].name);
		save(name, b->data, b->len);
	}
}

static void
write_gzip(struct buf *b, struct buf *out)
{
	size_t half, full;

	from_text(b, WHOLE);
	half = b->len / 2;

	/* Members are joined, an empty one between them too. */
	put_member(out, b->data, half, 0, 0);
	put_member(out, b->data, 0, 0, 0);
	put_member(out, b->data + half, b->len - half, 0, 0);
	save("good-members.pb.gz", out->data, out->len);
	save("bad-gz-member-cut.pb.gz", out->data, out->len - 20);

	out->len = 0;
	put_member(out, b->data, b->len, 0, 0);
	full = out->len;
	save("good-stored.pb.gz", out->data, full);
	save("bad-gz-cut-magic.pb.gz", out->data, 2);
	save("bad-gz-cut-header.pb.gz", out->data, 7);
	save("bad-gz-cut-block.pb.gz", out->data, 13);
	save("bad-gz-cut-body.pb.gz", out->data, full / 2);
	save("bad-gz-cut-crc.pb.gz", out->data, full - 8);
	save("bad-gz-cut-length.pb.gz", out->data, full - 3);

	memcpy(out->data + full, "junk\n", 5);
	save("bad-gz-junk.pb.gz", out->data, full + 5);
	memset(out->data + full, 0, 16);
	save("good-padded.pb.gz", out->data, full + 16);
	memcpy(out->data + full, out->data, 12);
	save("bad-gz-member-header.pb.gz", out->data, full + 12);

	out->data[2] = 7;
	save("bad-gz-method.pb.gz", out->data, full);
	out->data[2] = 8;
	out->data[10] = 7; /* the last block, of the type that does not exist */
	save("bad-gz-block.pb.gz", out->data, full);
	out->data[10] = 1;
	out->data[13] ^= 1; /* the complement of the stored length */
	save("bad-gz-stored.pb.gz", out->data, full);

	out->len = 0;
	put_member(out, b->data, b->len, 1, 0);
	save("bad-gz-crc.pb.gz", out->data, out->len);
	out->len = 0;
	put_member(out, b->data, b->len, 0, 1);
	save("bad-gz-length.pb.gz", out->data, out->len);
	out->len = 0;
	put_member(out, b->data, 0, 0, 0);
	save("bad-gz-empty.pb.gz", out->data, out->len);

	b->len = 0;
	from_text(b, WHOLE);
	out->len = 0;
	put_member(out, b->data, b->len, 0, 0);
	b->len = 0;
	put_member(b, out->data, out->len, 0, 0);
	save("bad-gz-twice.pb.gz", b->data, b->len);
	save("bad-empty.pb", "", 0);
	save("bad-byte.pb", "\n", 1);
}

/* Words of a gperftools CPU profile, 4 or 8 bytes, either byte order. */
static void
put_words(struct buf *b, const uint64_t *w, size_t n, int size, int big)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < size; k++)
			put_byte(b, (unsigned)(w[i] >>
					       8 * (big ? size - 1 - k : k)) &
					    0xff);
}

static void
put_text(struct buf *b, const char *s)
{
	put(b, s, strlen(s));
}

#define MAPS "00001000-00009000 r-xp 00000000 00:00 0 /bin/x\n"
#define WORDS(...)                                                             \
	(const uint64_t[]){ __VA_ARGS__ },                                     \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void
write_cpu(struct buf *b, const char *name, const uint64_t *w, size_t n,
	  const char *text)
{
	b->len = 0;
	put_words(b, w, n, 8, 0);
	put_text(b, text);
	save(name, b->data, b->len);
}

#define HEAD 0, 3, 0, 10000, 0
#define RECORDS 3, 2, 0x1100, 0x1201, 4, 2, 0x1100, 0x1301
#define TRAILER 0, 1, 0

static void
write_gperf(struct buf *b)
{
	static const struct {
		const char *name;
		int size, big;
	} layout[] = { { "good-cpu-le32.prof", 4, 0 },
		       { "good-cpu-be32.prof", 4, 1 },
		       { "good-cpu-le64.prof", 8, 0 },
		       { "good-cpu-be64.prof", 8, 1 } };

	for (int i = 0; i < 4; i++) {
		b->len = 0;
		put_words(b, WORDS(HEAD, RECORDS, TRAILER), layout[i].size,
			  layout[i].big);
		put_text(b, MAPS);
		save(layout[i].name, b->data, b->len);
	}
	write_cpu(b, "good-cpu-flush.prof", WORDS(HEAD, RECORDS), "");
	write_cpu(b, "good-cpu-edge.prof", /* count 0, depth 0, a leaf of 0, a
					      leaf given twice */
		  WORDS(HEAD, 0, 1, 0x1100, 2, 0, 1, 2, 0, 0x1201, 5, 3, 0x1200,
			0x1201, 0x1301, TRAILER),
		  MAPS);
	write_cpu(b, "good-cpu-none.prof", WORDS(HEAD, TRAILER), MAPS);
	write_cpu(
		b, "good-cpu-java.prof",
		WORDS(0, 3, 1, 10000, 0, 3, 2, 0x10, 0x20, 1, 1, 0x30, TRAILER),
		"0x10 app.Reader.fill (Reader.java:41)\n0x20 app.Main.main "
		"(Main.java:7)\n0x30 generated stub/JIT\n");

	/* 62 of 64 records share the caller of the leaf: pprof takes it for a
	 * signal frame. */
	b->len = 0;
	put_words(b, WORDS(HEAD), 8, 0);
	for (uint64_t i = 0; i < 64; i++)
		put_words(b,
			  WORDS(1, 3, 0x1100 + i, i < 62 ? 0x2001 : 0x3001,
				0x4001),
			  8, 0);
	put_words(b, WORDS(TRAILER), 8, 0);
	put_text(b, MAPS);
	save("good-cpu-handler.prof", b->data, b->len);

	write_cpu(b, "bad-cpu-period.prof",
		  WORDS(0, 3, 0, 0, 0, RECORDS, TRAILER), MAPS);
	write_cpu(b, "bad-cpu-kind.prof",
		  WORDS(0, 3, 2, 10000, 0, RECORDS, TRAILER), MAPS);
	write_cpu(b, "bad-cpu-pad.prof",
		  WORDS(0, 3, 0, 10000, 1, RECORDS, TRAILER), MAPS);
	write_cpu(b, "bad-cpu-header.prof", WORDS(0, 3, 0), "");
	write_cpu(b, "bad-cpu-depth.prof",
		  WORDS(HEAD, RECORDS, 1, 0x7fffffffffffffff, 0x1100), "");
	write_cpu(b, "bad-cpu-cut.prof",
		  WORDS(HEAD, RECORDS, 1, 3, 0x1100, 0x1201), "");
	write_cpu(b, "bad-cpu-stray.prof", WORDS(HEAD, RECORDS), "abc");
	write_cpu(b, "bad-cpu-notrailer.prof", WORDS(HEAD, RECORDS), MAPS);
}

int
main(void)
{
	static struct buf b, out;

	write_streams(&b);
	write_gzip(&b, &out);
	write_gperf(&b);
	return 0;
}
