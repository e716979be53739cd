/* publish.c - see publish.h. */
#include "config.h"

#include "publish.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define SPINS 2000 /* some microseconds: a walk's length */
#define SHELF_BYTES (16 << 20)

struct unwind_refresher unwind_refresher LARGE;

static void
drop_rows(struct shelved *s)
{
	if (s->rows.row)
		munmap(s->rows.row, s->rows.n_bytes);
	s->rows = (struct cfi_rows){ 0 };
}

/* Keep the rows of an object that no tables have any more, instead of the
 * oldest. */
static void
shelve(const struct unwind_object *o)
{
	struct shelved *shelf = unwind_refresher.shelf;
	size_t n_bytes = 0;

	drop_rows(&shelf[N_SHELF - 1]);
	memmove(shelf + 1, shelf, (N_SHELF - 1) * sizeof(*shelf));
	shelf[0] = (struct shelved){
		o->id, { o->row, o->n_row, o->n_bytes, o->n_refused }
	};
	for (size_t i = 0; i < N_SHELF; i++) {
		n_bytes += shelf[i].rows.n_bytes;
		if (n_bytes > SHELF_BYTES)
			drop_rows(&shelf[i]);
	}
}

bool
unwind_unshelve(const struct unwind_object *o, struct cfi_rows *rows)
{
	for (size_t i = 0; i < N_SHELF; i++) {
		struct shelved *s = &unwind_refresher.shelf[i];

		if (!s->rows.row || s->id != o->id)
			continue;
		*rows = s->rows;
		s->rows = (struct cfi_rows){ 0 };
		return true;
	}
	return false;
}

/* Unmap t, and shelve rows that no later tables use. */
void
unwind_free_tables(struct unwind_tables *t)
{
	for (size_t i = 0; i < t->n_object; i++)
		if (!t->object[i].kept && t->object[i].row)
			shelve(&t->object[i]);
	munmap(t, t->n_bytes);
}

/*
 * Was each reader count zero at some moment? After a swap of the pointer that
 * is enough: a walk that counts itself later loads the new one.
 */
static bool
no_reader(void)
{
	for (unsigned i = 0; i < N_READER; i++)
		for (unsigned k = 0; atomic_load(&unwind_state.reader[i].n);
		     k++)
			if (k == SPINS)
				return false;
	return true;
}

void
unwind_free_retired(void)
{
	if (!unwind_refresher.retired || !no_reader())
		return;
	unwind_refresher.stuck = false;
	while (unwind_refresher.retired) {
		struct unwind_tables *t = unwind_refresher.retired;

		unwind_refresher.retired = t->next;
		unwind_refresher.n_retired--;
		unwind_free_tables(t);
	}
}

/* Mark in old the objects whose rows new uses. */
static void
mark_kept(struct unwind_tables *old, const struct unwind_tables *new)
{
	for (size_t i = 0; old && i < old->n_object; i++)
		for (size_t k = 0; k < new->n_object; k++)
			if (old->object[i].row == new->object[k].row)
				old->object[i].kept = true;
}

void
unwind_publish(struct unwind_tables *new)
{
	struct unwind_tables *old = atomic_load(&unwind_state.tables);

	mark_kept(old, new);
	atomic_store(&unwind_state.tables, new);
	if (old) {
		old->next = unwind_refresher.retired;
		unwind_refresher.retired = old;
		unwind_refresher.n_retired++;
	}
	unwind_free_retired();
}

/* Publish the tables without the objects whose code is at one of these
 * addresses. */
static int
leave_out(const uintptr_t *code, size_t n_code)
{
	const struct unwind_tables *old = atomic_load(&unwind_state.tables);
	struct unwind_tables *new;

	if (!old || unwind_refresher.n_retired >= MAX_RETIRED)
		return old ? EAGAIN : 0;
	new = unwind_map(old->n_bytes);
	if (!new)
		return ENOMEM;
	new->n_bytes = old->n_bytes;
	new->pool = old->pool;
	for (size_t i = 0; i < old->n_object; i++) {
		const struct unwind_object *o = &old->object[i];
		bool is_out = false;

		for (size_t k = 0; k < n_code; k++)
			is_out |= code[k] >= o->lo && code[k] < o->hi;
		if (!is_out)
			new->object[new->n_object++] = *o;
	}
	unwind_publish(new);
	/* The next refresh is not to find that nothing has changed. */
	unwind_refresher.done = false;
	return 0;
}

int
unwind_forget(const uintptr_t *code, size_t n_code)
{
	unsigned none = 0;
	int err;

	if (!atomic_compare_exchange_strong(&unwind_refresher.pending, &none,
					    1))
		return EAGAIN;
	err = ARCH_HAS_ROWS ? leave_out(code, n_code) : 0;
	atomic_store(&unwind_refresher.pending, 0);
	return err;
}
