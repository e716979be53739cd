/*
 * label.c - labels of threads. They are kept in the thread's record, and are
 * sent to the recorder only when a tick comes: changing them at every request
 * costs only copying a few bytes.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "sample.h"
#include "sampler.h"
#include "table.h"

enum { MAX_LABELS = 16 };

/* Copy the labels of text, except key, to out. Returns their length. */
static size_t
without(const char *text, size_t n, const char *key, char *out, int *n_label)
{
	size_t kept = 0;

	for (size_t i = 0; i < n;) {
		size_t size = strlen(text + i) + 1;

		size += strlen(text + i + size) + 1;
		if (strcmp(text + i, key) != 0) {
			memcpy(out + kept, text + i, size);
			kept += size;
			++*n_label;
		}
		i += size;
	}
	return kept;
}

int
sample_label(const char *key, const char *value)
{
	struct thread *t;
	char text[LABEL_ROOM];
	int n_label = 0;
	size_t n;

	if (!key || !*key)
		return EINVAL;
	if (!sampler_init() || (!thread_self && sample_thread() != 0))
		return EAGAIN;
	t = thread_self;
	n = without(t->label_text, t->n_label, key, text, &n_label);
	if (value) {
		size_t n_key = strlen(key) + 1, n_value = strlen(value) + 1;

		if (n_label == MAX_LABELS || n_key > sizeof(text) - n ||
		    n_value > sizeof(text) - n - n_key)
			return E2BIG;
		memcpy(text + n, key, n_key);
		memcpy(text + n + n_key, value, n_value);
		n += n_key + n_value;
	}
	/* A tick before this still has the old labels. */
	t->new_label = 0;
	atomic_fetch_add(&t->label_version, 1);
	memcpy(t->label_text, text, n);
	t->n_label = (uint32_t)n;
	atomic_fetch_add(&t->label_version, 1);
	t->new_label = 1;
	return 0;
}

/*
 * The thread may wake up at any moment and change its labels. So its own label
 * number is not used; there is a separate one for when it sleeps.
 */
uint32_t
label_sleeping(struct thread *t, const char *comm)
{
	uint64_t version = atomic_load(&t->label_version);
	char text[LABEL_ROOM];
	uint32_t n = t->n_label;

	if (version == t->sleep_version &&
	    !memcmp(comm, t->sleep_comm, COMM_BYTES))
		return t->sleep_label;
	if (version & 1 || n > sizeof(text))
		return 0;
	memcpy(text, t->label_text, n);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load(&t->label_version) != version)
		return 0;
	t->sleep_label = label_tell(t, comm, text, n);
	if (!t->sleep_label && (n || sampler.shm->set.labels))
		return 0; /* retry next time */
	memcpy(t->sleep_comm, comm, COMM_BYTES);
	t->sleep_version = version;
	return t->sleep_label;
}

static void
forget_labels(struct thread *t, void *arg)
{
	(void)arg;
	t->label = 0;
	t->new_label = t->n_label > 0;
	t->comm[0] = '\0';
	t->sleep_version = 1; /* none */
}

void
label_reset(void)
{
	thread_each(forget_labels, NULL);
}
