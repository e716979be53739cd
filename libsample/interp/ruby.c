/*
 * ruby.c - Ruby 2.7 to 3.4. A thread has an array of frames
 * (rb_control_frame_t), the innermost first. Calls from Ruby to Ruby stay in
 * one evaluator, up to the frame that C entered, which is marked (FINISH). The
 * evaluator, vm_exec_core(), is no symbol: it is the function to whose code the
 * instructions of a method point.
 *
 * A frame's environment leads to its method, whose class is in the name. Names
 * of methods in C are numbers, in a table that is no symbol: it is found by its
 * shape in the data of the library.
 *
 * The offsets are those that programs printed that were compiled with the
 * sources of 2.7.4, 3.0.2, 3.1.2, 3.2.3, 3.3.8 and 3.4.5 for x86-64. Strings
 * are checked by their type, and what is found is from the thread's own record.
 */
#include "config.h"

#include "interp.h"

#if UINTPTR_MAX > UINT32_MAX

/* r15, as vm_exec.c asks for; in x20 of 64-bit ARM, which is not tracked. */
#ifdef __x86_64__
#define HAS_FRAME_IN_LAST true
#else
#define HAS_FRAME_IN_LAST false
#endif

enum symbol { SYM_VERSION, SYM_VM, SYM_FRAMES, SYM_THREAD, SYM_COLLECTS };

/* interp.layout: offsets, in bytes, which differ by version. */
enum field {
	VM_LIST,     /* in rb_vm_t: of ractors, or (RACTOR_THREADS 0) threads */
	RACTOR_NODE, /* in rb_ractor_t: its place in that list */
	RACTOR_THREADS, /* a list */
	THREAD_NATIVE,  /* in rb_thread_t; 0: it has the number itself */
	THREAD_ID,      /* pthread_self() */
	THREAD_VM,
	THREAD_RUNS,    /* its rb_execution_context_t */
	FRAME_BYTES,    /* of rb_control_frame_t */
	CODE_LINES,     /* in rb_iseq_constant_body; see describe_lines() */
	LINE_BYTES,     /* of an entry there */
	TEXT_IS_LONG,   /* strings in an object have a length, as others */
	CLASS_PATH,     /* in a class: its name; 0: it is in CLASS_TABLE */
	CLASS_ATTACHED, /* in a singleton class: whose it is; the same */
	CLASS_TABLE,    /* variables of a class by names; 0: not known */
	IS_SINGLETON,   /* the number of this flag */
	N_FIELD
};

_Static_assert((int)N_FIELD <= (int)INTERP_LAYOUT,
	       "there is room for a layout");

enum {
	RUNS_STACK = 0, /* in rb_execution_context_t */
	RUNS_WORDS = 8, /* of the stack */
	RUNS_FRAME = 16,
	RUNS_BYTES = 24,
	FRAME_PC = 0, /* in rb_control_frame_t */
	FRAME_ISEQ = 16,
	FRAME_EP = 32,
	FRAME_READ = 40,
	ENV_METHOD = 0, /* in an environment, 16 bytes before FRAME_EP */
	ENV_OUTER = 8,  /* the environment around it, with a mark */
	ENV_FLAGS = 16,
	ENV_BEFORE = 16,
	ENV_BYTES = 24,
	IS_LOCAL = 2, /* of ENV_FLAGS: of a method, not of a block */
	IS_FINISH = 0x20,
	IS_C = 0x80,
	KIND = 0x7fff0001,
	KIND_METHOD_IN_C = 0x55550001,
	METHOD_NAME = 24, /* in rb_method_entry_t */
	METHOD_OWNER = 32,
	METHOD_BYTES = 40,
	INTERNAL_TYPE = 0xf01f, /* of the first word */
	IS_METHOD = 0x601a,
	IS_SPECIAL = 0x201a, /* which has the method at 8 */
	ISEQ_CODE = 16,      /* in rb_iseq_t */
	CODE_SIZE = 4, /* in rb_iseq_constant_body: instructions, in words */
	CODE_BODY = 8,
	CODE_FILE = 64,
	CODE_BASE_NAME = 72,
	CODE_NAME = 80,
	CODE_FIRST_LINE = 88,
	LINES_SIZE = 16, /* from CODE_LINES on */
	LINES_PLACES = 24,
	LINES_BYTES = 32,
	PLACES_IMMEDIATE = 54, /* of succ_index_table */
	PLACES_BLOCK = 512,
	PLACES_BLOCK_BYTES = 80,
	OBJECT_BYTES = 40,
	OBJECT_TYPE = 0x1f, /* of its first word, with IS_OUTSIDE */
	OBJECT_SIZE = 16,   /* or the first element of an array */
	OBJECT_DATA = 32,   /* of a thread's object: its rb_thread_t */
	IS_CLASS = 2,
	IS_MODULE = 3,
	IS_STRING = 5,
	IS_ARRAY = 7,
	IS_HASH = 8,
	IS_OUTSIDE = 1 << 13, /* a string; an array is inside, then */
	NAMES_LAST = 0,       /* in rb_symbols_t: the last number */
	NAMES_ARRAY = 16,
	NAMES_HASH = 24,
	NAMES_BYTES = 32,
	NAMES_UNIT = 512,   /* of each of the arrays there, two words a name */
	FIRST_NUMBER = 256, /* from there on names have a mark of 4 bits */
	VARIABLES_BOUND = 40, /* in st_table */
	VARIABLES = 48,
	VARIABLE_NAME = 8,
	VARIABLE_VALUE = 16,
	VARIABLE_BYTES = 24,
	MAX_VARIABLES = 16, /* the first ones: these are made with a class */
	MAX_BLOCKS = 16,
	MAX_LABEL = 128,
	MAX_DATA = 1 << 20,
	MAX_RACTORS = 64,
	MAX_THREADS = 1024,
};

static const uint16_t layouts[][N_FIELD] = {
	/* 2.7 to 3.4 */
	{ 312, 0, 0, 0, 72, 24, 32, 56, 120, 8, 0, 0, 0, 24, 12 },
	{ 8, 568, 304, 0, 80, 32, 40, 56, 120, 8, 0, 0, 0, 24, 12 },
	{ 8, 568, 304, 0, 80, 32, 40, 64, 120, 12, 0, 0, 0, 24, 12 },
	{ 8, 568, 304, 40, 8, 32, 48, 64, 112, 12, 1, 0, 0, 0, 12 },
	{ 8, 432, 256, 40, 16, 32, 48, 56, 112, 12, 1, 152, 128, 0, 12 },
	{ 8, 432, 256, 40, 16, 32, 48, 56, 112, 12, 1, 152, 128, 0, 13 },
};

/* Of the program's Ruby, once known: its rb_vm_t, the evaluator, its
 * rb_symbols_t (1: not found), and the names of two variables of classes. */
static struct {
	_Atomic uintptr_t vm, eval_lo, eval_hi, names, path, attached;
} ruby;

static bool
ruby_init(struct interp *in, const char **why)
{
	const int *version = (const int *)in->symbol[SYM_VERSION];
	int which = version && version[0] == 3   ? version[1] + 1
		    : version && version[0] == 2 ? version[1] - 7
						 : -1;

	if (which < 0 || which >= (int)(sizeof(layouts) / sizeof(*layouts))) {
		*why = "only Ruby 2.7 to 3.4 are known";
		return false;
	}
	memcpy(in->layout, layouts[which], sizeof(layouts[0]));
	in->code_bytes = in->layout[CODE_LINES] + LINES_BYTES + 0u;
	return true;
}

static uintptr_t
member(const struct interp_walk *w, uintptr_t at, enum field field)
{
	return interp_peek_word(w->memory, at + w->in->layout[field]);
}

/* Is it this thread's record, and in use? One that has ended keeps the number,
 * which is the next one's: Ruby starts threads in those that it has. */
static bool
is_of_thread(const struct interp_walk *w, uintptr_t thread)
{
	uintptr_t has_id = thread;

	if (thread && w->in->layout[THREAD_NATIVE])
		has_id = member(w, thread, THREAD_NATIVE);
	return has_id && member(w, has_id, THREAD_ID) == w->thread->self &&
	       interp_peek_word(w->memory,
				member(w, thread, THREAD_RUNS) + RUNS_FRAME);
}

/* Find the thread in the list whose head is there; *found is 0 if it is not.
 * False: the list is longer than is searched. */
static bool
find_in(const struct interp_walk *w, uintptr_t head, uintptr_t *found)
{
	uintptr_t thread = head;

	*found = 0;
	for (int i = 0; i < MAX_THREADS; i++) {
		thread = interp_peek_word(w->memory, thread);
		if (!thread || thread == head)
			return true;
		if (is_of_thread(w, thread)) {
			*found = thread;
			return true;
		}
	}
	return false;
}

static bool
find_thread(const struct interp_walk *w, uintptr_t vm, uintptr_t *found)
{
	const uint16_t *at = w->in->layout;
	uintptr_t head = vm + at[VM_LIST], node = head;
	bool whole = true;

	*found = 0;
	if (!at[RACTOR_THREADS])
		return find_in(w, head, found);
	for (int i = 0; !*found && i < MAX_RACTORS; i++) {
		node = interp_peek_word(w->memory, node);
		if (!node || node == head)
			break;
		whole &= find_in(w, node - at[RACTOR_NODE] + at[RACTOR_THREADS],
				 found);
	}
	return *found || whole;
}

/*
 * From 3.3 on there is no symbol of the rb_vm_t: ask Ruby for the thread, once,
 * if it has frames: before, rb_thread_current() may follow a NULL. Both read
 * the thread's record, no more; the first one is made for signal handlers.
 */
static uintptr_t
ask_for_vm(const struct interp_walk *w)
{
	int (*frames)(int, int, uintptr_t *, int *) = (int (*)(
		int, int, uintptr_t *, int *))w->in->symbol[SYM_FRAMES];
	uintptr_t (*thread)(void) =
		(uintptr_t(*)(void))w->in->symbol[SYM_THREAD];
	uintptr_t frame;

	if (!w->thread->is_own || !w->is_met || !thread || !frames ||
	    frames(0, 1, &frame, NULL) <= 0)
		return 0;
	return member(w, interp_peek_word(w->memory, thread() + OBJECT_DATA),
		      THREAD_VM);
}

static uintptr_t
find_vm(const struct interp_walk *w)
{
	uintptr_t vm = atomic_load_explicit(&ruby.vm, memory_order_relaxed);

	if (!vm && w->in->symbol[SYM_VM])
		vm = interp_peek_word(w->memory, w->in->symbol[SYM_VM]);
	else if (!vm)
		vm = ask_for_vm(w);
	atomic_store_explicit(&ruby.vm, vm, memory_order_relaxed);
	return vm;
}

/* What an environment, or the first one around it that has it, says of its
 * method: see finish_owner(). */
static uintptr_t
method_of(const struct interp_walk *w, uint8_t *env)
{
	for (int i = 0; i < MAX_BLOCKS; i++) {
		uintptr_t method = interp_word(env, ENV_METHOD);
		uintptr_t outer = interp_word(env, ENV_OUTER) & ~(uintptr_t)3;

		if (interp_word(env, ENV_FLAGS) & IS_LOCAL ||
		    (method && (interp_peek_word(w->memory, method) &
				INTERNAL_TYPE) == IS_METHOD))
			return method;
		if (!interp_peek(w->memory, outer - ENV_BEFORE, env, ENV_BYTES))
			break;
	}
	return 0;
}

static bool
ruby_next(struct interp_walk *w, struct interp_frame *f)
{
	uint8_t bytes[FRAME_READ], env[ENV_BYTES];
	uintptr_t flags;

	if (!interp_peek(w->memory, w->frame, bytes, sizeof(bytes)) ||
	    !interp_peek(w->memory, interp_word(bytes, FRAME_EP) - ENV_BEFORE,
			 env, sizeof(env)))
		return false;
	flags = interp_word(env, ENV_FLAGS);
	f->line = flags & IS_C ? 0 : interp_word(bytes, FRAME_PC);
	f->code = f->line ? interp_word(bytes, FRAME_ISEQ)
			  : (flags & KIND) == KIND_METHOD_IN_C;
	f->owner = f->code ? method_of(w, env) : 0;
	f->is_last = (flags & (IS_FINISH | IS_C)) == IS_FINISH;
	w->frame += w->in->layout[FRAME_BYTES];
	if (w->frame >= w->link)
		w->frame = 0;
	return true;
}

/* Read word i of the table of functions in .eh_frame_hdr, by the usual form. */
static bool
read_function(struct interp_walk *w, uint32_t i, uintptr_t *at)
{
	int32_t off;

	if (!interp_peek(w->memory, w->in->unwind + 12 + 8 * (uintptr_t)i, &off,
			 sizeof(off)))
		return false;
	*at = w->in->unwind + (uintptr_t)(intptr_t)off;
	return true;
}

/* Set the evaluator to the function that has the first instruction of the
 * innermost method. */
static void
find_evaluator(struct interp_walk *w)
{
	static const uint8_t form[] = { 1, 0x1b, 3, 0x3b };
	struct interp_memory *m = w->memory;
	struct interp_walk walk = *w;
	struct interp_frame f = { 0 };
	uint8_t head[12];
	uintptr_t pc, at = 0, end;
	uint32_t lo = 0, hi;

	for (int i = 0; !f.line && walk.frame && i < INTERP_WALK; i++)
		if (!ruby_next(&walk, &f))
			return;
	pc = interp_peek_word(m, f.code + ISEQ_CODE);
	pc = interp_peek_word(m, interp_peek_word(m, pc + CODE_BODY));
	if (pc - w->in->lo >= w->in->hi - w->in->lo || !w->in->unwind ||
	    !interp_peek(m, w->in->unwind, head, sizeof(head)) ||
	    memcmp(head, form, sizeof(form)) != 0)
		return;
	hi = (uint32_t)interp_int(head, 8);
	if (hi < 2)
		return;
	for (hi--; hi - lo > 1;) { /* in [lo, hi) */
		uint32_t mid = lo + (hi - lo) / 2;

		if (!read_function(w, mid, &at))
			return;
		if (at <= pc)
			lo = mid;
		else
			hi = mid;
	}
	if (!read_function(w, lo, &at) || !read_function(w, hi, &end))
		return;
	w->eval_lo = at;
	w->eval_hi = end;
	atomic_store_explicit(&ruby.eval_hi, end, memory_order_relaxed);
	atomic_store_explicit(&ruby.eval_lo, at, memory_order_release);
}

/* It reads a flag of the process. The thread that runs Ruby collects, and all
 * others wait for it. */
static bool
ruby_collects(const struct interp_walk *w)
{
	int (*collects)(void) = (int (*)(void))w->in->symbol[SYM_COLLECTS];

	return collects && collects();
}

/* w->frame is the next frame, w->link the end of them. */
static bool
ruby_begin(struct interp_walk *w)
{
	uintptr_t thread =
		atomic_load_explicit(w->thread->hint, memory_order_relaxed);
	uint8_t runs[RUNS_BYTES];

	if (!is_of_thread(w, thread)) {
		uintptr_t vm = find_vm(w);

		thread = 0;
		if (vm && !find_thread(w, vm, &thread))
			return false;
		atomic_store_explicit(w->thread->hint, thread,
				      memory_order_relaxed);
	}
	if (!thread)
		return true;
	if (!interp_peek(w->memory, member(w, thread, THREAD_RUNS), runs,
			 sizeof(runs)))
		return false;
	w->link = interp_word(runs, RUNS_STACK) +
		  sizeof(uintptr_t) * interp_word(runs, RUNS_WORDS) -
		  w->in->layout[FRAME_BYTES]; /* the outermost is empty */
	w->first = interp_word(runs, RUNS_FRAME);
	w->frame = w->first < w->link ? w->first : 0;
	w->eval_lo = atomic_load_explicit(&ruby.eval_lo, memory_order_acquire);
	w->eval_hi = atomic_load_explicit(&ruby.eval_hi, memory_order_relaxed);
	if (!w->eval_lo)
		find_evaluator(w);
	return true;
}

/*
 * The evaluator has its innermost frame in a register: so it has the frames
 * from there to the one that C entered, and those that what it calls has made,
 * but has not entered yet. It has none if these are there already, or if it has
 * left its last one, but not yet itself.
 */
static bool
ruby_run(struct interp_walk *w)
{
	uintptr_t at = w->kept, size = w->in->layout[FRAME_BYTES], flags;

	w->until = 0;
	if (!HAS_FRAME_IN_LAST || at < w->first - size || at >= w->link ||
	    (w->link - at) % size)
		return true;
	if (at >= w->first) {
		w->until = at;
		return at >= w->frame;
	}
	flags = interp_peek_word(w->memory, at + FRAME_EP);
	flags = interp_peek_word(w->memory, flags - ENV_BEFORE + ENV_FLAGS);
	return !(flags & IS_FINISH);
}

/*
 * Set owner, which is a method, what leads to one, or anything else, to the
 * method of a frame in C, or the class of the method.
 */
static void
finish_owner(struct interp_walk *w, struct interp_frame *f, uint8_t *bytes)
{
	uintptr_t type = interp_word(bytes, 0) & INTERNAL_TYPE;

	if (f->owner && type == IS_SPECIAL) {
		f->owner = interp_word(bytes, 8);
		if (!interp_peek(w->memory, f->owner, bytes, METHOD_BYTES))
			f->owner = 0;
		type = interp_word(bytes, 0) & INTERNAL_TYPE;
	}
	if (type != IS_METHOD)
		f->owner = 0;
	else if (f->owner && f->line)
		f->owner = interp_word(bytes, METHOD_OWNER);
}

/*
 * Until now code is the rb_iseq_t; line is the next instruction, or 0: a method
 * in C. Of that, owner will be the method, and code code_bytes that can be read
 * and have the method, which may be at the end of a heap.
 */
static void
ruby_finish(struct interp_walk *w, struct interp_frame *f, size_t n)
{
	uintptr_t *at = w->memory->addr, size = w->in->code_bytes;
	size_t n_iseq = 0, got;

	for (size_t i = 0; i < n; i++)
		at[i] = f[i].owner ? f[i].owner : f[i].code;
	got = interp_peek_codes(w->memory, at, n, METHOD_BYTES);
	for (size_t i = 0; i < n; i++)
		if (i < got)
			finish_owner(w, &f[i],
				     w->memory->code + i * METHOD_BYTES);
		else
			f[i].owner = 0;
	for (size_t i = 0; i < n; i++)
		if (f[i].line)
			at[n_iseq++] = f[i].code + ISEQ_CODE;
	got = interp_peek_codes(w->memory, at, n_iseq, 8);
	for (size_t i = 0, k = 0; i < n; i++) {
		bool is_c = !f[i].line;

		if (is_c)
			f[i].code = f[i].owner;
		else if (k < got)
			f[i].code =
				interp_word(w->memory->code, 8 * (unsigned)k++);
		else
			f[i].code = 1;
		if (is_c && f[i].code % INTERP_PAGE + size > INTERP_PAGE)
			f[i].code -= size - METHOD_BYTES;
	}
}

/* base is where the instructions begin. */
static uint32_t
ruby_place(const struct interp_frame *f)
{
	uintptr_t n = (f->line - f->base) / 8;

	return f->line && n ? (uint32_t)n - 1 : 0;
}

static uint64_t
ruby_identify(const struct interp_walk *w, struct interp_frame *f,
	      const uint8_t *bytes)
{
	uint64_t hash = interp_mix(f->code, f->owner);

	if (!f->line) {
		bytes += f->owner - f->code;
		hash = interp_mix(f->owner, interp_word(bytes, METHOD_NAME));
		hash = interp_mix(hash, interp_word(bytes, METHOD_OWNER));
		return hash ? hash : 1;
	}
	f->base = interp_word(bytes, CODE_BODY);
	for (unsigned at = CODE_FILE; at <= CODE_FIRST_LINE; at += 8)
		hash = interp_mix(hash, interp_word(bytes, at));
	hash = interp_mix(hash, f->base);
	hash = interp_mix(hash, interp_word(bytes, w->in->layout[CODE_LINES]));
	return hash ? hash : 1;
}

static bool
text_of(const struct interp_walk *w, uintptr_t text, struct interp_text *t)
{
	uint8_t bytes[OBJECT_BYTES];
	uintptr_t flags, n;

	if (!interp_peek(w->memory, text, bytes, sizeof(bytes)))
		return false;
	flags = interp_word(bytes, 0);
	if ((flags & OBJECT_TYPE) != IS_STRING)
		return false;
	n = interp_word(bytes, OBJECT_SIZE);
	t->at = text + OBJECT_SIZE + 8;
	t->unit = 1;
	if (flags & IS_OUTSIDE) {
		t->at = interp_word(bytes, OBJECT_SIZE + 8);
	} else if (!w->in->layout[TEXT_IS_LONG]) {
		n = flags >> 14 & 0x1f;
		t->at = text + OBJECT_SIZE;
	}
	t->n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	return true;
}

/* The file's path, or an array of what was asked for, and that. */
static bool
file_of(const struct interp_walk *w, uintptr_t file, struct interp_text *t)
{
	uintptr_t flags = interp_peek_word(w->memory, file), first;

	if ((flags & OBJECT_TYPE) != IS_ARRAY || !(flags & IS_OUTSIDE))
		return text_of(w, file, t);
	first = interp_peek_word(w->memory, file + OBJECT_SIZE);
	return text_of(w, interp_peek_word(w->memory, file + OBJECT_SIZE + 8),
		       t) ||
	       text_of(w, first, t);
}

/* Element i of an array that has more than a few. */
static uintptr_t
element(const struct interp_walk *w, uintptr_t array, uintptr_t i)
{
	uint8_t bytes[OBJECT_BYTES];
	uintptr_t flags;

	if (!interp_peek(w->memory, array, bytes, sizeof(bytes)))
		return 0;
	flags = interp_word(bytes, 0);
	if ((flags & OBJECT_TYPE) != IS_ARRAY || flags & IS_OUTSIDE ||
	    i >= interp_word(bytes, OBJECT_SIZE))
		return 0;
	return interp_peek_word(w->memory,
				interp_word(bytes, OBJECT_DATA) + 8 * i);
}

/* The string that a name stands for, by the table of names there. */
static bool
text_of_name(const struct interp_walk *w, uintptr_t names, uintptr_t name,
	     struct interp_text *t)
{
	uintptr_t i = name < FIRST_NUMBER ? name : name >> 4;
	uintptr_t array = interp_peek_word(w->memory, names + NAMES_ARRAY);

	array = element(w, array, i / NAMES_UNIT);
	return array && text_of(w, element(w, array, i % NAMES_UNIT * 2), t);
}

/* Is that an rb_symbols_t? The last name may have been forgotten. */
static bool
is_names(const struct interp_walk *w, uintptr_t at, const uint8_t *bytes)
{
	uintptr_t last = interp_word(bytes, NAMES_LAST);
	struct interp_text t;

	if (last < FIRST_NUMBER || last > INT32_MAX)
		return false;
	for (unsigned i = NAMES_LAST + 8; i < NAMES_BYTES; i += 8)
		if (interp_word(bytes, i) % 8 ||
		    interp_word(bytes, i) < INTERP_PAGE)
			return false;
	if ((interp_peek_word(w->memory, interp_word(bytes, NAMES_HASH)) &
	     OBJECT_TYPE) != IS_HASH)
		return false;
	return text_of_name(w, at, '+', &t) && t.n == 1 &&
	       text_of_name(w, at, FIRST_NUMBER << 4, &t) &&
	       element(w, interp_word(bytes, NAMES_ARRAY), last / NAMES_UNIT);
}

static uintptr_t
find_names(const struct interp_walk *w)
{
	uintptr_t names =
		atomic_load_explicit(&ruby.names, memory_order_relaxed);
	uintptr_t lo = w->in->data_lo, hi = w->in->data_hi;
	uint8_t bytes[NAMES_BYTES];

	for (; !names && hi - lo < MAX_DATA && lo + NAMES_BYTES <= hi; lo += 8)
		if (interp_peek(w->memory, lo, bytes, sizeof(bytes)) &&
		    is_names(w, lo, bytes))
			names = lo;
	if (!names)
		names = 1;
	atomic_store_explicit(&ruby.names, names, memory_order_relaxed);
	return names > 1 ? names : 0;
}

/* Is name that word? Then it is kept in known. */
static bool
is_word(const struct interp_walk *w, uintptr_t name, const char *word,
	_Atomic uintptr_t *known)
{
	uintptr_t is = atomic_load_explicit(known, memory_order_relaxed);
	size_t n = strlen(word);
	struct interp_text t;
	char text[32];

	if (is || !text_of_name(w, find_names(w), name, &t) || t.n != n ||
	    !interp_peek(w->memory, t.at, text, n) ||
	    memcmp(text, word, n) != 0)
		return is && is == name;
	atomic_store_explicit(known, name, memory_order_relaxed);
	return true;
}

/* A variable of a class: its name, or, of a singleton class, whose it is. */
static uintptr_t
variable_of(const struct interp_walk *w, uintptr_t class, bool is_path)
{
	const uint16_t *at = w->in->layout;
	uint8_t bytes[VARIABLE_BYTES];
	uintptr_t table, n;

	if (at[CLASS_PATH])
		return member(w, class, is_path ? CLASS_PATH : CLASS_ATTACHED);
	if (!at[CLASS_TABLE] || !find_names(w))
		return 0;
	table = interp_peek_word(w->memory, member(w, class, CLASS_TABLE) + 8);
	n = interp_peek_word(w->memory, table + VARIABLES_BOUND);
	table = interp_peek_word(w->memory, table + VARIABLES);
	for (uintptr_t i = 0; i < n && i < MAX_VARIABLES; i++) {
		if (!interp_peek(w->memory, table + i * VARIABLE_BYTES, bytes,
				 sizeof(bytes)))
			break;
		if (is_path ? is_word(w, interp_word(bytes, VARIABLE_NAME),
				      "__classpath__", &ruby.path)
			    : is_word(w, interp_word(bytes, VARIABLE_NAME),
				      "__attached__", &ruby.attached))
			return interp_word(bytes, VARIABLE_VALUE);
	}
	return 0;
}

/* The name of a method's class, with what comes between both. Without one, it
 * is called as a function. */
static void
describe_class(const struct interp_walk *w, uintptr_t class,
	       struct interp_code *c)
{
	uintptr_t flags = interp_peek_word(w->memory, class);
	uintptr_t type = flags & OBJECT_TYPE;
	char first;

	c->join = '#';
	if (type == IS_CLASS && flags >> w->in->layout[IS_SINGLETON] & 1) {
		class = variable_of(w, class, false);
		type = interp_peek_word(w->memory, class) & OBJECT_TYPE;
		c->join = '.';
	}
	if ((type != IS_CLASS && type != IS_MODULE) ||
	    !text_of(w, variable_of(w, class, true), &c->scope) ||
	    !interp_peek(w->memory, c->scope.at, &first, 1) ||
	    first == '#') /* #<Class:0x00007f...> */
		c->scope = (struct interp_text){ 0 };
}

static bool
describe_c(const struct interp_walk *w, const uint8_t *method,
	   struct interp_code *c)
{
	*c = (struct interp_code){ .file = { .unit = 1 } };
	describe_class(w, interp_word(method, METHOD_OWNER), c);
	return find_names(w) &&
	       text_of_name(w, find_names(w), interp_word(method, METHOD_NAME),
			    &c->name);
}

/* Sizes, lines, and a table from places to their number: see lines.c. */
static void
describe_lines(const struct interp_walk *w, uintptr_t code,
	       const uint8_t *bytes, struct interp_code *c)
{
	unsigned at = w->in->layout[CODE_LINES];
	unsigned entry = w->in->layout[LINE_BYTES];
	uint32_t n = (uint32_t)interp_int(bytes, at + LINES_SIZE);
	uint32_t places = (uint32_t)interp_int(bytes, CODE_SIZE);
	uint32_t small = places < PLACES_IMMEDIATE ? places : PLACES_IMMEDIATE;

	if (n > UINT16_MAX || places > 1 << 20)
		return;
	c->lines_are = entry == 8 ? LINES_RUBY_8 : LINES_RUBY_12;
	c->lines[0] = (struct interp_text){ code + at + LINES_SIZE, 4, 1 };
	c->lines[1] = (struct interp_text){ code + CODE_SIZE, 4, 1 };
	c->lines[2] =
		(struct interp_text){ interp_word(bytes, at), n * entry, 1 };
	if (n > 1)
		c->lines[3] = (struct interp_text){
			interp_word(bytes, at + LINES_PLACES),
			(small + 8) / 9 * 8 +
				(places - small + PLACES_BLOCK - 1) /
					PLACES_BLOCK * PLACES_BLOCK_BYTES,
			1
		};
}

/* Is end the end of text? Sets *is_body if it names code outside of methods, as
 * <main> and <class:Shop> do; < and <=> are methods. */
static bool
ends(const struct interp_walk *w, const struct interp_text *text,
     const struct interp_text *end, bool *is_body)
{
	char a[MAX_LABEL], b[MAX_LABEL];

	if (!end->n || end->n > text->n || end->n > MAX_LABEL ||
	    !interp_peek(w->memory, end->at, a, end->n) ||
	    !interp_peek(w->memory, text->at + text->n - end->n, b, end->n))
		return false;
	*is_body = end->n > 1 && a[0] == '<' && a[1] >= 'a' && a[1] <= 'z';
	return !memcmp(a, b, end->n);
}

static bool
ruby_describe(const struct interp_walk *w, const struct interp_frame *f,
	      const uint8_t *bytes, struct interp_code *c)
{
	uintptr_t line = interp_word(bytes, CODE_FIRST_LINE);
	struct interp_text base;
	bool is_body;

	if (!f->line)
		return describe_c(w, bytes + (f->owner - f->code), c);
	*c = (struct interp_code){
		/* An int, or a number as objects are, with a bit below. */
		.first_line = w->in->layout[TEXT_IS_LONG]
				      ? (int32_t)line
				      : (int32_t)(line >> 1),
		.lines_are = LINES_LNOTAB,
	};
	describe_lines(w, f->code, bytes, c);
	if (!text_of(w, interp_word(bytes, CODE_BASE_NAME), &base) ||
	    !text_of(w, interp_word(bytes, CODE_NAME), &c->name) ||
	    !file_of(w, interp_word(bytes, CODE_FILE), &c->file))
		return false;
	/* Not so for code of eval(). */
	if (ends(w, &c->name, &base, &is_body)) {
		c->n_before = c->name.n - base.n;
		if (f->owner && !is_body)
			describe_class(w, f->owner, c);
	}
	return true;
}

const struct interp_kind interp_ruby = {
	.number = INTERP_RUBY,
	.eval = "rb_profile_frames", /* some code of it */
	.enter = "rb_vm_exec",
	.symbol = { [SYM_VERSION] = "ruby_api_version",
		    [SYM_VM] = "ruby_current_vm_ptr",
		    [SYM_FRAMES] = "rb_profile_frames",
		    [SYM_THREAD] = "rb_thread_current",
		    [SYM_COLLECTS] = "rb_during_gc" },
	.phase = { { "ruby_setup", "[Ruby starts]", NULL },
		   { "ruby_vm_destruct", "[Ruby exits]", NULL } },
	.init = ruby_init,
	.begin = ruby_begin,
	.collects = ruby_collects,
	.next = ruby_next,
	.run = ruby_run,
	.finish = ruby_finish,
	.identify = ruby_identify,
	.place = ruby_place,
	.describe = ruby_describe,
};

#endif
