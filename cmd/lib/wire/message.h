/*
 * message.h - write protobuf messages field by field, without generated code.
 * Reading them: wire.h.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"

/* The fields of one message, one after the other. After a failure, which is
 * only ever lack of memory, nothing more is added: look at the end. */
struct message {
	struct buf b; /* for buf_release() */
	bool failed;
};

/* Varints and fixed64 of 0 are left out, as proto3 does. */
void message_varint(struct message *m, unsigned field, uint64_t v);
void message_fixed64(struct message *m, unsigned field, uint64_t v);

/* Written even if it is 0, or empty: a member of a oneof, or of a list. */
void message_force_varint(struct message *m, unsigned field, uint64_t v);
void message_force_fixed64(struct message *m, unsigned field, uint64_t v);
void message_bytes(struct message *m, unsigned field, const void *data,
		   size_t n);

/* A repeated number, packed; nothing for an empty list. */
void message_packed(struct message *m, unsigned field, const uint32_t *v,
		    size_t n);

/* A field that is a message; in is then empty, its memory is kept. */
void message_nest(struct message *m, unsigned field, struct message *in);

#endif
