/*
 * codec.h - a profile as the bytes of a profile.proto message, inflated. No
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
 * profile_free(); it shares nothing with raw.
 *
 * Read as pprof reads: fields in any order, repeated numbers packed or not,
 * unknown fields skipped, a mapping id that names none is "no mapping", labels
 * without content are dropped, and labels put in canonical order. Refused, with
 * a message that says where: damage (PROF_EFORMAT), and what breaks a rule of
 * profile.proto (PROF_EINVALID), such as "sample 17: location id 99 does not
 * exist". Entries are counted from 1, bytes from 0. Also PROF_ENOMEM.
 */
enum prof_status profile_decode(const uint8_t *raw, size_t n,
				struct profile **out,
				struct prof_err *err) MUST_USE;

/*
 * Append p to out in canonical form: pprof's, byte for byte. Fields ascend;
 * tables keep their order; zero fields are left out, but for field 14;
 * repeated numbers are packed from the third on; strings are numbered in the
 * order of their first use and unused ones left out. So equal profiles give
 * equal bytes, and profile_decode() of them the same profile. PROF_ENOMEM.
 */
enum prof_status profile_encode(const struct profile *p, struct buf *out,
				struct prof_err *err) MUST_USE;

/* Where encoded bytes go, in order, piece by piece. */
struct codec_sink {
	enum prof_status (*put)(void *ctx, const void *data, size_t n,
				struct prof_err *err);
	void *ctx;
};

/* profile_encode() without a place for all of it. Also what put() returns. */
enum prof_status profile_encode_to(const struct profile *p,
				   const struct codec_sink *sink,
				   struct prof_err *err) MUST_USE;

#endif
