/* message.c - see message.h. */
#include "config.h"

#include "message.h"

#include "wire.h"

/* Room for n bytes and two varints, or NULL. */
static uint8_t *
room(struct message *m, size_t n)
{
	if (m->failed || n > SIZE_MAX - 20 || buf_reserve(&m->b, n + 20) < 0) {
		m->failed = true;
		return NULL;
	}
	return m->b.data + m->b.n;
}

static uint8_t *
put_tag(uint8_t *q, unsigned field, enum wire_type type)
{
	return wire_put(q, (uint64_t)field << 3 | type);
}

static void
end_at(struct message *m, const uint8_t *q)
{
	m->b.n = (size_t)(q - m->b.data);
}

void
message_force_varint(struct message *m, unsigned field, uint64_t v)
{
	uint8_t *q = room(m, 0);

	if (q)
		end_at(m, wire_put(put_tag(q, field, WIRE_VARINT), v));
}

void
message_varint(struct message *m, unsigned field, uint64_t v)
{
	if (v)
		message_force_varint(m, field, v);
}

void
message_force_fixed64(struct message *m, unsigned field, uint64_t v)
{
	uint8_t *q = room(m, 8);

	if (!q)
		return;
	q = put_tag(q, field, WIRE_I64);
	for (int i = 0; i < 8; i++)
		*q++ = (uint8_t)(v >> (8 * i));
	end_at(m, q);
}

void
message_fixed64(struct message *m, unsigned field, uint64_t v)
{
	if (v)
		message_force_fixed64(m, field, v);
}

void
message_bytes(struct message *m, unsigned field, const void *data, size_t n)
{
	uint8_t *q = room(m, n);

	if (!q)
		return;
	q = wire_put(put_tag(q, field, WIRE_BYTES), n);
	if (n)
		memcpy(q, data, n);
	end_at(m, q + n);
}

void
message_packed(struct message *m, unsigned field, const uint32_t *v, size_t n)
{
	size_t size = 0;
	uint8_t *q;

	for (size_t i = 0; i < n; i++)
		size += wire_size(v[i]);
	q = n ? room(m, size) : NULL;
	if (!q)
		return;
	q = wire_put(put_tag(q, field, WIRE_BYTES), size);
	for (size_t i = 0; i < n; i++)
		q = wire_put(q, v[i]);
	end_at(m, q);
}

void
message_nest(struct message *m, unsigned field, struct message *in)
{
	message_bytes(m, field, in->b.data, in->b.n);
	m->failed |= in->failed;
	in->b.n = 0;
}
