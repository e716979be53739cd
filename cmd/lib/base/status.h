/*
 * status.h - how the library reports: a status, and a message in the caller's
 * struct prof_err. The library itself never prints and never exits.
 */
#ifndef STATUS_H
#define STATUS_H

#define MUST_USE __attribute__((warn_unused_result))

enum prof_status {
	PROF_OK = 0,
	PROF_EIO,      /* a descriptor could not be read or written */
	PROF_EFORMAT,  /* not a profile, or damaged where the message says */
	PROF_EINVALID, /* well formed, but breaks a rule of profile.proto */
	PROF_ELIMIT, /* larger than the caller allows, or than 32-bit indices */
	PROF_ENOMEM,
	PROF_ENOTSUP, /* needs a library that this build lacks */
	PROF_EUSAGE,  /* the request does not fit this profile */
	PROF_EDIFFER, /* profiles that cannot be combined */
};

struct prof_err {
	enum prof_status status;
	char msg[512]; /* one line, lower case, no full stop; may hold bytes of
			* the input: escape it before printing */
};

/*
 * Fill *err (which may be NULL) and return status, in one call:
 *	return prof_fail(err, PROF_EINVALID, "sample %zu: ...", i);
 */
enum prof_status prof_fail(struct prof_err *err, enum prof_status status,
			   const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* prof_fail() with PROF_ENOMEM: out of memory, or of budget.h's. */
enum prof_status prof_nomem(struct prof_err *err);

#endif
