/* buildid.c - see buildid.h. */
#include "config.h"

#include "buildid.h"

#include <elf.h>
#include <string.h>

static uint32_t
read_u32(const uint8_t *p, bool is_big_endian)
{
	return is_big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
				       (uint32_t)p[2] << 8 | p[3]
			     : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
				       (uint32_t)p[1] << 8 | p[0];
}

static size_t
align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

void
build_id_hex(const uint8_t *data, size_t n, char *id)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n && i < BUILD_ID_MAX; i++) {
		*id++ = digit[data[i] >> 4];
		*id++ = digit[data[i] & 15];
	}
	*id = '\0';
}

/* "action/main action/main contents/contents": see go tool buildid. */
static void
write_go(const uint8_t *data, size_t n, char *id)
{
	const uint8_t *slash = memrchr(data, '/', n);

	if (slash && slash + 1 < data + n)
		build_id_hex(slash + 1, (size_t)(data + n - slash - 1), id);
}

bool
build_id_in_notes(const uint8_t *data, size_t n, size_t align,
		  bool is_big_endian, char *id)
{
	enum { HEAD = 12, GO = 4 }; /* sizes of name and content, type */

	align = align == 8 ? 8 : 4;
	while (n >= HEAD) {
		size_t n_name = read_u32(data, is_big_endian);
		size_t n_content = read_u32(data + 4, is_big_endian);
		uint32_t type = read_u32(data + 8, is_big_endian);
		size_t content, next;

		if (n_name > n - HEAD)
			break;
		content = align_up(HEAD + n_name, align);
		if (content > n || n_content > n - content)
			break;
		if (type == NT_GNU_BUILD_ID && n_name == 4 && n_content &&
		    !memcmp(data + HEAD, "GNU", 4)) {
			build_id_hex(data + content, n_content, id);
			return true;
		}
		if (type == GO && n_name == 4 && !*id &&
		    !memcmp(data + HEAD, "Go\0", 4))
			write_go(data + content, n_content, id);
		next = align_up(content + n_content, align);
		if (next >= n)
			break;
		data += next;
		n -= next;
	}
	return false;
}
