/*
 * php.c - PHP 7.4 to 8.5. There is one chain of frames (zend_execute_data).
 * Calls from PHP to PHP stay in one evaluator, up to the function of PHP that C
 * called, which is marked (ZEND_CALL_TOP). A PHP for threads (ZTS) has a chain
 * for each, below its executor_globals: at executor_globals_offset in what
 * tsrm_get_ls_cache() returns, which is pthread_getspecific() alone.
 *
 * The offsets are those that programs printed that were compiled with the
 * headers of 7.4.33, 8.1.2, 8.2.36, 8.3.6, 8.4.27 and 8.5.4 for x86-64. Strings
 * are checked by their type.
 */
#include "config.h"

#include "interp.h"

#if UINTPTR_MAX > UINT32_MAX

enum symbol {
	SYM_GLOBALS,
	SYM_OFFSET, /* of ZTS */
	SYM_THREAD,
	SYM_74, /* by classes that came with a version */
	SYM_80,
	SYM_82,
	SYM_83,
	SYM_84,
	SYM_85
};

/* interp.layout: offsets, in bytes, which differ by version. */
enum field {
	CODE_OPCODES, /* in zend_op_array; their number is 8 bytes before */
	CODE_FILE,
	GENERATOR_FRAME, /* in zend_generator */
	GENERATOR_PARENT,
	GLOBALS_FRAME, /* in zend_executor_globals */
	N_FIELD
};

_Static_assert((int)N_FIELD <= (int)INTERP_LAYOUT,
	       "there is room for a layout");

enum {
	FRAME_AT = 0, /* in zend_execute_data */
	FRAME_CODE = 24,
	FRAME_THIS = 32, /* an object, or a class */
	FRAME_FLAGS = 40,
	FRAME_PREVIOUS = 48,
	FRAME_BYTES = 56,
	CODE_TYPE = 0, /* in zend_function */
	CODE_NAME = 8,
	CODE_SCOPE = 16,
	AT_LINE = 24, /* in zend_op */
	AT_BYTES = 32,
	CLASS_NAME = 8, /* in zend_class_entry */
	TEXT_TYPE = 4,  /* in zend_string */
	TEXT_HASH = 8,
	TEXT_SIZE = 16,
	TEXT_BYTES = 24,
	IS_INTERNAL = 1, /* CODE_TYPE: the others are of PHP */
	IS_USER = 2,
	IS_EVAL = 4,
	IS_STRING = 6,    /* the lower bits of TEXT_TYPE */
	IS_TOP = 1 << 17, /* of FRAME_FLAGS; its lower bits: the type of This */
	IS_OBJECT = 8,
	MAX_GENERATORS = 64, /* in each other */
	BASE_USER = 1,       /* a frame's base: a function of PHP */
	BASE_NOTHING = 2,    /* nothing to show; others are in C */
};

/* By the symbol from which on they are those. */
static const uint16_t layouts[][N_FIELD] = {
	[SYM_74] = { 64, 136, 64, 160, 488 },
	[SYM_80] = { 72, 144, 56, 152, 488 },
	[SYM_82] = { 88, 152, 56, 152, 488 },
	[SYM_83] = { 80, 144, 56, 152, 488 },
	[SYM_84] = { 104, 168, 56, 152, 488 },
	[SYM_85] = { 104, 168, 56, 152, 512 },
};

static bool
php_init(struct interp *in, const char **why)
{
	int since = SYM_85;

	while (since > SYM_THREAD && !in->symbol[since])
		since--;
	if (since == SYM_THREAD ||
	    !(in->symbol[SYM_GLOBALS] ||
	      (in->symbol[SYM_OFFSET] && in->symbol[SYM_THREAD]))) {
		*why = "only PHP 7.4 to 8.5 are known";
		return false;
	}
	memcpy(in->layout, layouts[since], sizeof(layouts[0]));
	in->code_bytes = in->layout[CODE_FILE] + 16u;
	return true;
}

/*
 * The evaluator has the place of the innermost frame in a register (r15, x28)
 * which C functions preserve, and stores it only before calls that may fail.
 */
static uintptr_t
place_in_register(struct interp_walk *w, uintptr_t code, uintptr_t stored)
{
	uint8_t bytes[16];
	uintptr_t kept = w->kept;

	if (!interp_peek(w->memory, code + w->in->layout[CODE_OPCODES] - 8,
			 bytes, sizeof(bytes)) ||
	    kept - interp_word(bytes, 8) >=
		    (uint64_t)(uint32_t)interp_int(bytes, 0) * AT_BYTES)
		return stored;
	return kept;
}

/*
 * The thread's executor_globals, or 0: it has none before the evaluator was met
 * in it. Those of a thread that sleeps are where they were when it ran.
 */
static uintptr_t
find_globals(const struct interp_walk *w)
{
	uintptr_t (*thread)(void) =
		(uintptr_t(*)(void))w->in->symbol[SYM_THREAD];
	uintptr_t at = w->in->symbol[SYM_GLOBALS];

	if (!w->is_met || (!at && !w->thread->is_own))
		return atomic_load_explicit(w->thread->hint,
					    memory_order_relaxed);
	if (!at) {
		at = thread();
		if (at)
			at += interp_peek_word(w->memory,
					       w->in->symbol[SYM_OFFSET]);
	}
	atomic_store_explicit(w->thread->hint, at, memory_order_relaxed);
	return at;
}

static bool
php_begin(struct interp_walk *w)
{
	uintptr_t globals = find_globals(w);

	return !globals ||
	       interp_peek(w->memory, globals + w->in->layout[GLOBALS_FRAME],
			   &w->frame, sizeof(w->frame));
}

/*
 * A generator that another one yields from is called by a frame without code,
 * in the outermost of them, which is a child of the next, and so on. Read the
 * frame of the next one outwards (link: the one before) and say whether there
 * is one.
 */
static bool
read_delegate(struct interp_walk *w, uint8_t *bytes)
{
	uintptr_t g = interp_word(bytes, FRAME_THIS), parent = g, last = 0;
	unsigned at = w->in->layout[GENERATOR_PARENT];

	if ((uint8_t)bytes[FRAME_FLAGS] != IS_OBJECT || g == w->link)
		return false;
	for (int i = 0; parent && parent != w->link && i < MAX_GENERATORS;
	     i++) {
		last = g;
		g = parent;
		parent = interp_peek_word(w->memory, g + at);
	}
	/* Not the outermost parent, which is the one that runs. */
	g = parent ? g : last;
	w->link = g;
	return interp_peek(
		w->memory,
		interp_peek_word(w->memory, g + w->in->layout[GENERATOR_FRAME]),
		bytes, FRAME_BYTES);
}

static bool
php_next(struct interp_walk *w, struct interp_frame *f)
{
	uint8_t bytes[FRAME_BYTES];
	uintptr_t next, at;
	bool is_delegate = false;

	if (!interp_peek(w->memory, w->frame, bytes, sizeof(bytes)))
		return false;
	next = interp_word(bytes, FRAME_PREVIOUS);
	if (!interp_word(bytes, FRAME_CODE)) {
		is_delegate = read_delegate(w, bytes);
		next = is_delegate ? w->frame : next;
	}
	if (!is_delegate)
		w->link = 0;
	f->code = interp_word(bytes, FRAME_CODE);
	at = interp_word(bytes, FRAME_AT);
	if (w->n == 1 && f->code)
		at = place_in_register(w, f->code, at);
	f->at = 0;
	f->line = at ? at + AT_LINE : 0;
	f->is_last = !is_delegate && interp_int(bytes, FRAME_FLAGS) & IS_TOP;
	w->frame = next;
	return true;
}

/* Until now line is its address, if it is of PHP, by base. at is 0 where that
 * cannot be read. */
static void
php_lines(struct interp_walk *w, struct interp_frame *f, size_t n)
{
	uintptr_t *line = w->memory->addr;
	size_t n_line = 0, got;

	for (size_t i = 0; i < n; i++) {
		f[i].is_last &= f[i].base == BASE_USER;
		if (f[i].base != BASE_USER)
			f[i].line = 0;
		if (f[i].base == BASE_NOTHING)
			f[i].code = 0;
		if (f[i].line)
			line[n_line++] = f[i].line;
	}
	if (!n_line)
		return;
	got = interp_peek_codes(w->memory, line, n_line, sizeof(f->at));
	for (size_t i = 0, k = 0; i < n; i++)
		if (f[i].line && k < got)
			memcpy(&f[i].at, w->memory->code + 4 * k++, 4);
}

static uint64_t
php_identify(const struct interp_walk *w, struct interp_frame *f,
	     const uint8_t *bytes)
{
	unsigned at = w->in->layout[CODE_FILE];
	uint64_t hash = interp_word(bytes, CODE_NAME);

	/* Not by f->code: closures are copies. */
	hash = interp_mix(hash, interp_word(bytes, CODE_SCOPE));
	if (bytes[CODE_TYPE] == IS_USER || bytes[CODE_TYPE] == IS_EVAL) {
		f->base = BASE_USER;
		/* Lines, and the file by its hash: the next request may have
		 * another one there. */
		hash = interp_mix(hash, interp_word(bytes, at + 8));
		hash = interp_mix(
			hash,
			interp_peek_word(w->memory,
					 interp_word(bytes, at) + TEXT_HASH));
	} else if (bytes[CODE_TYPE] != IS_INTERNAL) {
		return 0;
	} else if (!interp_word(bytes, CODE_NAME)) {
		f->base = BASE_NOTHING; /* it begins a fiber */
		return 0;
	}
	return hash ? hash : 1;
}

static bool
text_of(const struct interp_walk *w, uintptr_t text, struct interp_text *t)
{
	uint8_t bytes[TEXT_BYTES];
	uintptr_t n;

	*t = (struct interp_text){ .unit = 1 };
	if (!text)
		return true;
	if (!interp_peek(w->memory, text, bytes, sizeof(bytes)) ||
	    (bytes[TEXT_TYPE] & 15) != IS_STRING)
		return false;
	n = interp_word(bytes, TEXT_SIZE);
	t->n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	t->at = text + TEXT_BYTES;
	return true;
}

static bool
php_describe(const struct interp_walk *w, const struct interp_frame *f,
	     const uint8_t *bytes, struct interp_code *c)
{
	unsigned at = w->in->layout[CODE_FILE];
	uintptr_t scope = interp_word(bytes, CODE_SCOPE), file = 0;

	(void)f;
	*c = (struct interp_code){ 0 };
	if (scope)
		scope = interp_peek_word(w->memory, scope + CLASS_NAME);
	if (bytes[CODE_TYPE] != IS_INTERNAL) {
		file = interp_word(bytes, at);
		c->first_line = interp_int(bytes, at + 8);
	}
	return text_of(w, scope, &c->scope) &&
	       text_of(w, interp_word(bytes, CODE_NAME), &c->name) &&
	       text_of(w, file, &c->file);
}

const struct interp_kind interp_php = {
	.number = INTERP_PHP,
	.eval = "execute_ex",
	.enter = "zend_call_function",
	.symbol = { [SYM_GLOBALS] = "executor_globals",
		    [SYM_OFFSET] = "executor_globals_offset",
		    [SYM_THREAD] = "tsrm_get_ls_cache",
		    [SYM_74] = "zend_ce_weakref",
		    [SYM_80] = "zend_ce_stringable",
		    [SYM_82] = "zend_ce_sensitive_parameter",
		    [SYM_83] = "zend_ce_override",
		    [SYM_84] = "zend_ce_deprecated",
		    [SYM_85] = "zend_ce_nodiscard" },
	.phase = { { "php_module_startup", "[PHP starts]", NULL },
		   { "php_module_shutdown", "[PHP exits]", NULL },
		   { "compile_file", "[PHP compiles]", NULL },
		   { "zend_gc_collect_cycles", "[garbage collection]", NULL },
		   { "php_request_startup", "[PHP begins a request]", NULL },
		   { "php_request_shutdown", "[PHP ends a request]", NULL } },
	.init = php_init,
	.begin = php_begin,
	.next = php_next,
	.identify = php_identify,
	.lines = php_lines,
	.describe = php_describe,
};

#endif
