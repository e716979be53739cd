/*
 * codec.h - a profile as the bytes of a profile.proto message, uncompressed. No
 * other module uses protobuf. Streams of such bytes: stream.h.
 */
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

/*
 * Decode the n bytes of one Profile message. *out is the caller's, to end with
 * profile_free(); it does not refer to raw.
 *
 * As in pprof, fields come in any order, repeated numbers may be packed,
 * unknown fields are skipped, a mapping id that does not exist means "no
 * mapping", and labels without content are dropped; labels are put in canonical
 * order. Damaged input (PROF_EFORMAT) and input that breaks a rule of
 * profile.proto (PROF_EINVALID) is refused, with a message such as "sample 17:
 * location id 99 does not exist". Entries are counted from 1, bytes from 0.
 * Also PROF_ENOMEM.
 */
enum prof_status profile_decode(const uint8_t *raw, size_t n,
				struct profile **out,
				struct prof_err *err) MUST_USE;

/*
 * Append p to out in canonical form, byte for byte that of pprof. Fields
 * ascend; tables keep their order; zero fields are omitted, except field 14;
 * three or more repeated numbers are packed; strings are numbered in order of
 * first use, and unused ones omitted. So equal profiles give equal bytes, which
 * decode to the same profile. PROF_ENOMEM.
 */
enum prof_status profile_encode(const struct profile *p, struct buf *out,
				struct prof_err *err) MUST_USE;

/* Receives encoded bytes, in order. */
struct codec_sink {
	enum prof_status (*put)(void *ctx, const void *data, size_t n,
				struct prof_err *err);
	void *ctx;
};

/* profile_encode() to a sink, without a buffer for all of it. Also returns the
 * errors of put(). */
enum prof_status profile_encode_to(const struct profile *p,
				   const struct codec_sink *sink,
				   struct prof_err *err) MUST_USE;

#endif
