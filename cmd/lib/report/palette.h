/*
 * palette.h - the colours of flame graphs, those of prof-html's page. Functions
 * of one package (library, namespace, program) share a hue and differ in tone,
 * to distinguish adjacent boxes; own code is vivid, libraries are pastel. A
 * difference is blue for less and orange for more, which colour-blind people
 * can distinguish, too. Colours depend only on names and weights.
 */
#ifndef PALETTE_H
#define PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/base/strtab.h"

/* Colours: two tones of each hue, those of boxes without a hue, and shades. */
enum {
	PALETTE_OWN_HUES = 8,
	PALETTE_LIBRARY_HUES = 10,
	PALETTE_OWN = 0,
	PALETTE_ALL = PALETTE_OWN + 2 * PALETTE_OWN_HUES, /* enum own */
	PALETTE_LIBRARY = PALETTE_ALL + 2 * PALETTE_OWN_HUES,
	PALETTE_UNNAMED = PALETTE_LIBRARY + 2 * PALETTE_LIBRARY_HUES,
	PALETTE_ROOT,
	PALETTE_REST,
	PALETTE_SHADE, /* of a difference: 0 less, 4 the same, 8 more */
	PALETTE_N = PALETTE_SHADE + 9,
};

/*
 * Type and colours of text and lines in pictures, light and dark: those of the
 * page of prof-html.
 */
#define PALETTE_TYPE                                                           \
	"system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\","           \
	"sans-serif"
#define PALETTE_BG "#fff"
#define PALETTE_FG "#171b21"
#define PALETTE_FG2 "#4d5763"
#define PALETTE_FG3 "#646e7b"
#define PALETTE_LINE "#e3e7ec"
#define PALETTE_ACCENT "#1a5fd0"
#define PALETTE_MORE "#a84300"
#define PALETTE_DARK_BG "#0f1216"
#define PALETTE_DARK_FG "#e9edf2"
#define PALETTE_DARK_FG2 "#b3bdc9"
#define PALETTE_DARK_FG3 "#8f9aa8"
#define PALETTE_DARK_LINE "#262c35"
#define PALETTE_DARK_ACCENT "#7db4ff"
#define PALETTE_DARK_MORE "#ffab6b"

/* Colour n, below PALETTE_N, on a light or a dark page: "rrggbb" in sRGB. */
void palette_colour(unsigned n, bool is_dark, char out[7]);

/*
 * The package of a function's name: the part before the first "::" or "." after
 * the last '/', with the path before it, if it is an identifier; in Java's
 *names all before the class, in Erlang's the module, in Rust's <type as trait>
 *the first path's. Parameters and clone suffixes (".part.0") don't count.
 *Returns where it begins in name and, in *len, its length; 0: there is none,
 *and such a function belongs to its binary.
 *
 *	github.com/foo/bar.(*T).M        github.com/foo/bar
 *	std::vector<int>::at             std
 *	com.acme.foo.Bar.baz             com.acme.foo
 *	<alloc::vec::Vec<T>>::push       alloc
 *	$lists:seq/2                     lists
 *	memcpy.part.0                    (none)
 */
const char *palette_package(const char *name, size_t n, size_t *len);

/* The length of a name without suffixes of compilers' copies: ".part.0". */
size_t palette_without_clone(const char *name, size_t n);

/* 32-bit FNV-1a of n bytes, for colours and links. */
uint32_t palette_hash(const char *s, size_t n);

/*
 * The package of a function in object (a path, or ""): what its name says, else
 * the base name of the object; without a name "[object]". A string of names, 0:
 * none; STRTAB_NONE without memory.
 */
uint32_t palette_package_add(struct strtab *names, const struct str *name,
			     const char *object);

/* A package that needs hues, for its own code and for what is not. */
struct palette_package {
	const char *name; /* n bytes */
	size_t n;
	double weight;
	bool is_own;                   /* it has own code */
	unsigned own_hue, library_hue; /* out: below PALETTE_OWN_HUES ... */
};

/*
 * Assign hues to n packages: in turn, by falling weight (ties by name), those
 * with own code first for own code, the others first for libraries.
 * PROF_ENOMEM.
 */
enum prof_status palette_assign(struct palette_package *package, size_t n,
				struct prof_err *err) MUST_USE;

/* The colour of a change from before to after, relative to the larger. */
unsigned palette_change(double before, double after);

#endif
