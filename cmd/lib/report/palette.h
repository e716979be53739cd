/*
 * palette.h - the colours of flame graphs. Functions of one package (library,
 * namespace, program) share a hue and differ in tone, to distinguish adjacent
 * boxes. A difference is blue for less and orange for more, which colour-blind
 * people can distinguish, too. Colours depend only on names and weights.
 */
#ifndef PALETTE_H
#define PALETTE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum {
	PALETTE_HUES = 12,       /* two tones each: colours 0 to 23 */
	PALETTE_NO_PACKAGE = 24, /* colours of boxes without a hue */
	PALETTE_NO_SYMBOL,
	PALETTE_ROOT,
	PALETTE_REST,
	PALETTE_N,
	PALETTE_SHADES = 9, /* of a difference: 0 less, 4 the same, 8 more */
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

/* "rrggbb" in sRGB, for a light and for a dark page. */
extern const char palette_light[PALETTE_N][7];
extern const char palette_dark[PALETTE_N][7];
extern const char shades_light[PALETTE_SHADES][7];
extern const char shades_dark[PALETTE_SHADES][7];

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

/* A package that needs a hue. */
struct palette_package {
	const char *name; /* n bytes */
	size_t n;
	double weight;
	unsigned hue; /* out: below PALETTE_HUES */
};

/*
 * Assign hues to n packages: in turn, by falling weight (ties by name), so the
 * heaviest twelve differ. PROF_ENOMEM.
 */
enum prof_status palette_assign(struct palette_package *package, size_t n,
				struct prof_err *err) MUST_USE;

/* The shade for a change from before to after, relative to the larger. */
unsigned palette_shade(double before, double after);

#endif
