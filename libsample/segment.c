/* segment.c - see segment.h. Nothing here may be unsafe in a signal handler. */
#include "config.h"

#include "segment.h"

#include "sampler.h"
#include "table.h"
#include "unwind/unwind.h"

enum { N_FORGOTTEN = 32 }; /* removed at a time */

struct segments segments;

bool
segments_forget(void)
{
	uintptr_t code[N_FORGOTTEN];
	size_t kept = 0, n_code = 0, n = segments.n;
	uint32_t now = sampler_new_space(atomic_load(&sampler.space));

	if (!now)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct segment *s = &segments.at[i];
		struct shm_gone gone = { .space = now, .start = s->start };

		if (s->pass == segments.pass || n_code == N_FORGOTTEN ||
		    !table_tell(sampler.shm, SHM_GONE, &gone, sizeof(gone),
				NULL, 0)) {
			segments.at[kept++] = *s;
			continue;
		}
		code[n_code++] = s->start;
	}
	atomic_store(&segments.n_unseen, segments.n_unseen - n_code);
	segments.n = kept;
	atomic_store(&sampler.space, now);
	atomic_store(&sampler.is_forked, false);
	unwind_forget(code, n_code);
	return n_code > 0;
}

void
segments_bury(void)
{
	if (!atomic_load_explicit(&segments.n_unseen, memory_order_relaxed) ||
	    atomic_exchange(&segments.is_taken, true))
		return;
	if (segments.n_unseen)
		segments_forget();
	atomic_store(&segments.is_taken, false);
}
