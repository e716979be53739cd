/*
 * python.c - CPython 3.8 to 3.14. What differs between its versions:
 *
 *	3.8, 3.9	A thread has a chain of PyFrameObject. Each is run by an
 *			evaluator of its own, whose frame has no known mark.
 *	3.10		The same, and each evaluator has a CFrame on the
 *			machine's stack, in a chain of its own.
 *	3.11		Calls from Python to Python stay in one evaluator, and
 *			frames are _PyInterpreterFrame, mostly in an array. The
 *			one that entered the evaluator is marked (is_entry).
 *	3.12		... and below it is a frame without code, on the
 *			machine's stack, by its owner. There is still a CFrame.
 *	3.13		... without a CFrame. _PyRuntime begins with a table of
 *			offsets, made for debuggers (_Py_DebugOffsets).
 *	3.14		The table has more members, pointers to objects may have
 *			low bits set.
 *
 * The offsets of 3.8 to 3.12 are those that a program printed that was compiled
 * with the headers of CPython 3.8.18, 3.9.18, 3.10.13, 3.11.2, 3.11.7 and
 * 3.12.1 for 64 bits (x86-64 and arm64 agree); the positions in the table are
 * from the headers of 3.13.0 and 3.14. Objects are checked by their types, so a
 * layout that is another one after all gives no names rather than wrong ones.
 */
#include "config.h"

#include <string.h>

#include "interp.h"

#if UINTPTR_MAX > UINT32_MAX

enum symbol {
	SYM_RUNTIME,
	SYM_CODE_TYPE,
	SYM_TEXT_TYPE,
	SYM_BYTES_TYPE,
	SYM_VERSION,   /* since 3.11 */
	SYM_SINCE_310, /* by functions that came with a version */
	SYM_SINCE_39,
	SYM_SINCE_38,
};

/* interp.layout: offsets, in bytes. */
enum field {
	VERSION_MINOR,
	RUNTIME_INTERPRETERS, /* in _PyRuntimeState */
	INTERPRETER_NEXT,     /* in PyInterpreterState */
	INTERPRETER_THREADS,
	THREAD_NEXT, /* in PyThreadState */
	THREAD_ID,
	THREAD_FRAME,  /* the innermost; 3.11 and 3.12: of CFrame */
	THREAD_CFRAME, /* 3.10 to 3.12 */
	CFRAME_PREVIOUS,
	FRAME_PREVIOUS, /* in PyFrameObject or _PyInterpreterFrame */
	FRAME_CODE,
	FRAME_AT,    /* f_lasti, prev_instr or instr_ptr */
	FRAME_OWNER, /* 3.11: is_entry */
	CODE_FILE,   /* in PyCodeObject */
	CODE_NAME,   /* the qualified one, since 3.11 */
	CODE_FIRST_LINE,
	CODE_LINES,
	CODE_BODY,          /* the instructions, or the object that has them */
	TEXT_BYTES,         /* of PyASCIIObject */
	FRAME_BYTES,        /* with all that is read of a frame */
	RUNTIME_FINALIZING, /* since 3.13 */
	N_FIELD
};

_Static_assert((int)N_FIELD <= (int)INTERP_LAYOUT,
	       "there is room for a layout");

enum {
	OBJECT_TYPE = 8,  /* in PyObject */
	OBJECT_SIZE = 16, /* in PyVarObject; of a string: its length */
	TEXT_STATE = 32,
	BYTES_VALUE = 32,
	MAX_FRAME = 128, /* bytes that are read of a frame */
	OWNER_STACK = 3, /* owner of a frame without code, or more */
	FINALIZING = 4,  /* the word of _Py_DebugOffsets */
	MAX_INTERPRETERS = 16,
	MAX_THREADS = 1024,
};

static const uint16_t layouts[][N_FIELD] = {
	{ 8, 32, 0, 8, 8, 176, 24, 0, 0, 24, 32, 104, 0, 104, 112, 40, 120, 48,
	  48 },
	{ 9, 32, 0, 8, 8, 176, 24, 0, 0, 24, 32, 104, 0, 104, 112, 40, 120, 48,
	  48 },
	{ 10, 32, 0, 8, 8, 176, 24, 48, 8, 24, 32, 96, 0, 104, 112, 40, 120, 48,
	  48 },
	{ 11, 40, 0, 16, 8, 152, 8, 56, 16, 48, 32, 56, 68, 112, 128, 72, 136,
	  184, 48 },
	{ 12, 40, 0, 72, 8, 136, 0, 56, 8, 8, 0, 56, 70, 112, 128, 68, 136, 192,
	  40 },
};

/* Where _Py_DebugOffsets has them, in words: 3.13 and 3.14. */
static const uint8_t described[][N_FIELD] = {
	{ 0, 5, 8, 9, 21, 24, 23, 0, 0, 29, 30, 31, 33, 35, 37, 39, 38, 43 },
	{ 0, 5, 8, 9, 24, 27, 26, 0, 0, 32, 33, 34, 36, 40, 42, 44, 43, 48 },
};

/* Read the offsets from _PyRuntime itself. */
static bool
read_described(struct interp *in, const uint8_t *where, const char **why)
{
	const uint64_t *table = (const uint64_t *)in->symbol[SYM_RUNTIME];

	if (memcmp(table, "xdebugpy", 8) != 0) {
		*why = "it does not describe itself as 3.13 and 3.14 do";
		return false;
	}
	if (table[2]) {
		*why = "it is free-threaded, which is not supported yet";
		return false;
	}
	for (int i = RUNTIME_INTERPRETERS; i < TEXT_BYTES; i++) {
		if (where[i] && table[where[i]] > UINT16_MAX) {
			*why = "it describes itself by impossible numbers";
			return false;
		}
		in->layout[i] = where[i] ? (uint16_t)table[where[i]] : 0;
	}
	in->layout[TEXT_BYTES] = 40;
	if (table[FINALIZING] <= UINT16_MAX)
		in->layout[RUNTIME_FINALIZING] = (uint16_t)table[FINALIZING];
	return true;
}

static unsigned
minor_version(const struct interp *in)
{
	if (in->symbol[SYM_VERSION])
		return *(const unsigned long *)in->symbol[SYM_VERSION] >> 16 &
		       0xff;
	return in->symbol[SYM_SINCE_310]  ? 10
	       : in->symbol[SYM_SINCE_39] ? 9
	       : in->symbol[SYM_SINCE_38] ? 8
					  : 7;
}

static bool
python_init(struct interp *in, const char **why)
{
	unsigned minor;

	if (!in->symbol[SYM_RUNTIME] || !in->symbol[SYM_CODE_TYPE] ||
	    !in->symbol[SYM_TEXT_TYPE] || !in->symbol[SYM_BYTES_TYPE]) {
		*why = "it is older than 3.8, or hides its symbols";
		return false;
	}
	minor = minor_version(in);
	in->code_bytes = 0;
	if (minor < 8 || minor > 14) {
		*why = "only 3.8 to 3.14 are known";
		return false;
	}
	if (minor < 13)
		memcpy(in->layout, layouts[minor - 8], sizeof(layouts[0]));
	else if (!read_described(in, described[minor - 13], why))
		return false;
	in->layout[VERSION_MINOR] = (uint16_t)minor;
	for (int i = CODE_FILE; i <= CODE_LINES; i++)
		if (in->layout[i] + 8u > in->code_bytes)
			in->code_bytes = in->layout[i] + 8u;
	for (int i = FRAME_PREVIOUS; i <= FRAME_OWNER; i++)
		if (in->layout[i] + 8u > in->layout[FRAME_BYTES])
			in->layout[FRAME_BYTES] =
				(uint16_t)(in->layout[i] + 8u);
	if (in->code_bytes > INTERP_CODE_MAX ||
	    in->layout[FRAME_BYTES] > MAX_FRAME) {
		*why = "it describes itself by impossible numbers";
		return false;
	}
	return true;
}

/* A member of a structure at addr, or 0. */
static uintptr_t
member(const struct interp_walk *w, uintptr_t addr, enum field f)
{
	return interp_peek_word(w->memory, addr + w->in->layout[f]);
}

/* Is this the thread's state? It runs on one thread, by pthread_self(), which
 * is the same in a forked child. */
static bool
is_of_thread(const struct interp_walk *w, uintptr_t state)
{
	return state && member(w, state, THREAD_ID) == w->thread->self;
}

/* Find the thread's state in the lists of the runtime, which other threads may
 * be changing; *found is 0 if it has none. False: nothing can be read, or a
 * list is longer than is searched. */
static bool
find_thread(const struct interp_walk *w, uintptr_t *found)
{
	uintptr_t interpreter;
	bool whole = true;

	*found = 0;
	if (!interp_peek(w->memory,
			 w->in->symbol[SYM_RUNTIME] +
				 w->in->layout[RUNTIME_INTERPRETERS],
			 &interpreter, sizeof(interpreter)))
		return false;
	for (int i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		uintptr_t state = member(w, interpreter, INTERPRETER_THREADS);

		for (int k = 0; state && k < MAX_THREADS; k++) {
			if (is_of_thread(w, state)) {
				*found = state;
				return true;
			}
			state = member(w, state, THREAD_NEXT);
		}
		whole &= !state;
		interpreter = member(w, interpreter, INTERPRETER_NEXT);
	}
	return whole;
}

/*
 * 3.13 and later: the frame without code at the end of the run is on the
 * machine's stack, in the evaluator's frame. False: a read failed.
 */
static bool
find_entry(struct interp_walk *w)
{
	const uint16_t *at = w->in->layout;
	uintptr_t frame = w->frame;
	uint8_t bytes[MAX_FRAME];

	for (int i = 0; frame && i < INTERP_WALK; i++) {
		if (!interp_peek(w->memory, frame, bytes, at[FRAME_BYTES]))
			return false;
		if (bytes[at[FRAME_OWNER]] >= OWNER_STACK) {
			w->entry = frame;
			return true;
		}
		frame = interp_word(bytes, at[FRAME_PREVIOUS]);
	}
	return !frame;
}

/* Set frame and entry by the thread's state. */
static bool
enter(struct interp_walk *w, uintptr_t state)
{
	unsigned minor = w->in->layout[VERSION_MINOR];

	if (minor >= 10 && minor <= 12) {
		w->entry = member(w, state, THREAD_CFRAME);
		if (!w->entry)
			return false;
	}
	w->frame = member(w, minor == 11 || minor == 12 ? w->entry : state,
			  THREAD_FRAME);
	return minor < 13 || find_entry(w);
}

/* The record of a thread that has ended may still look like ours, but has no
 * frames. */
static bool
python_begin(struct interp_walk *w)
{
	uintptr_t state =
		atomic_load_explicit(w->thread->hint, memory_order_relaxed);

	if (is_of_thread(w, state) && enter(w, state) && w->frame)
		return true;
	if (!find_thread(w, &state))
		return false;
	atomic_store_explicit(w->thread->hint, state, memory_order_relaxed);
	w->frame = w->entry = 0;
	return !state || enter(w, state);
}

/* The place of f_lasti, or of the instruction at that address, in bytes. */
static uint32_t
place_of(const struct interp_walk *w, const uint8_t *bytes, uintptr_t code)
{
	const uint16_t *at = w->in->layout;
	unsigned minor = at[VERSION_MINOR];
	int64_t place;

	if (minor <= 10)
		place = (int64_t)interp_int(bytes, at[FRAME_AT]) *
			(minor == 10 ? 2 : 1);
	else
		place = (int64_t)(interp_word(bytes, at[FRAME_AT]) - code -
				  at[CODE_BODY]);
	/* Before its first instruction. */
	return place < 0 || place > INT32_MAX ? 0 : (uint32_t)place;
}

static bool
python_next(struct interp_walk *w, struct interp_frame *f)
{
	const uint16_t *at = w->in->layout;
	unsigned minor = at[VERSION_MINOR];
	uint8_t bytes[MAX_FRAME];
	bool has_code;

	if (!interp_peek(w->memory, w->frame, bytes, at[FRAME_BYTES]))
		return false;
	has_code = minor < 12 || bytes[at[FRAME_OWNER]] < OWNER_STACK;
	f->is_last = minor < 11    ? true
		     : minor == 11 ? bytes[at[FRAME_OWNER]]
				   : !has_code;
	f->code = has_code ? interp_word(bytes, at[FRAME_CODE]) & ~(uintptr_t)7
			   : 0;
	f->line = 0;
	f->at = has_code ? place_of(w, bytes, f->code) : 0;
	w->frame = interp_word(bytes, at[FRAME_PREVIOUS]);
	if (!f->is_last)
		return true;
	if (minor >= 10 && minor <= 12)
		w->entry = member(w, w->entry, CFRAME_PREVIOUS);
	return minor < 13 || find_entry(w);
}

static uint64_t
python_identify(const struct interp_walk *w, struct interp_frame *f,
		const uint8_t *bytes)
{
	static const enum field fields[] = { CODE_FILE, CODE_NAME, CODE_LINES };
	const uint16_t *at = w->in->layout;
	uint64_t hash =
		f->code ^ (uint32_t)interp_int(bytes, at[CODE_FIRST_LINE]);

	if (interp_word(bytes, OBJECT_TYPE) != w->in->symbol[SYM_CODE_TYPE])
		return 0;
	/* Its size, or its instructions. */
	hash ^= interp_word(bytes, at[VERSION_MINOR] > 10 ? OBJECT_SIZE
							  : at[CODE_BODY]);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		hash = interp_mix(hash, interp_word(bytes, at[fields[i]]));
	return hash ? hash : 1;
}

/* A string: its state has 2 bits, then 3 for the size of units, then one each
 * for being in one piece, and ASCII. */
static bool
text_of(const struct interp_walk *w, uintptr_t text, struct interp_text *t)
{
	uint8_t bytes[TEXT_STATE + 8];
	uint32_t state;
	uintptr_t n;

	if (!interp_peek(w->memory, text, bytes, sizeof(bytes)) ||
	    interp_word(bytes, OBJECT_TYPE) != w->in->symbol[SYM_TEXT_TYPE])
		return false;
	state = (uint32_t)interp_int(bytes, TEXT_STATE);
	n = interp_word(bytes, OBJECT_SIZE);
	t->unit = state >> 2 & 7;
	t->n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	t->at = text + w->in->layout[TEXT_BYTES];
	if (!(state >> 6 & 1)) /* PyCompactUnicodeObject */
		t->at += w->in->layout[TEXT_BYTES] == 48 ? 24 : 16;
	return state >> 5 & 1 && (t->unit == 1 || t->unit == 2 || t->unit == 4);
}

static bool
bytes_of(const struct interp_walk *w, uintptr_t object, struct interp_text *t)
{
	uint8_t bytes[BYTES_VALUE];
	uintptr_t n;

	if (!interp_peek(w->memory, object, bytes, sizeof(bytes)) ||
	    interp_word(bytes, OBJECT_TYPE) != w->in->symbol[SYM_BYTES_TYPE])
		return false;
	n = interp_word(bytes, OBJECT_SIZE);
	*t = (struct interp_text){ object + BYTES_VALUE,
				   n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
				   1 };
	return true;
}

static bool
python_describe(const struct interp_walk *w, const struct interp_frame *f,
		const uint8_t *bytes, struct interp_code *c)
{
	const uint16_t *at = w->in->layout;
	unsigned minor = at[VERSION_MINOR];

	(void)f;
	*c = (struct interp_code){ 0 };
	c->first_line = interp_int(bytes, at[CODE_FIRST_LINE]);
	c->lines_are = minor < 10    ? LINES_LNOTAB
		       : minor == 10 ? LINES_310
				     : LINES_311;
	return text_of(w, interp_word(bytes, at[CODE_NAME]), &c->name) &&
	       text_of(w, interp_word(bytes, at[CODE_FILE]), &c->file) &&
	       bytes_of(w, interp_word(bytes, at[CODE_LINES]), c->lines);
}

/* Py_FinalizeEx() only jumps to another function, where compilers see that. */
static bool
is_finalizing(const struct interp_walk *w)
{
	unsigned at = w->in->layout[RUNTIME_FINALIZING];

	return at &&
	       interp_peek_word(w->memory, w->in->symbol[SYM_RUNTIME] + at);
}

const struct interp_kind interp_python = {
	.number = INTERP_PYTHON,
	.eval = "_PyEval_EvalFrameDefault",
	.symbol = { [SYM_RUNTIME] = "_PyRuntime",
		    [SYM_CODE_TYPE] = "PyCode_Type",
		    [SYM_TEXT_TYPE] = "PyUnicode_Type",
		    [SYM_BYTES_TYPE] = "PyBytes_Type",
		    [SYM_VERSION] = "Py_Version",
		    [SYM_SINCE_310] = "PyIter_Send",
		    [SYM_SINCE_39] = "PyFrame_GetBack",
		    [SYM_SINCE_38] = "PyInterpreterState_GetDict" },
	.phase = { { "Py_InitializeFromConfig", "[Python starts]", NULL },
		   { "Py_CompileStringObject", "[Python compiles]", NULL },
		   { "Py_FinalizeEx", "[Python exits]", NULL },
		   { "Py_RunMain", "[Python exits]", is_finalizing } },
	.init = python_init,
	.begin = python_begin,
	.next = python_next,
	.identify = python_identify,
	.describe = python_describe,
	/* Its locks, where there are semaphores, are these. */
	.waits = "[waiting for the GIL]",
};

#endif
