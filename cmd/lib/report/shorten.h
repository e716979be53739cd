/* shorten.h - function names made short enough for the box of a drawing. */
#ifndef SHORTEN_H
#define SHORTEN_H

#include <stddef.h>

/*
 * The essential part of the n bytes of a Go, Java or C++ function name, by
 * pprof's rules: package path, package and namespaces are dropped. Writes
 * *out_n bytes to out, which has room for n.
 *
 *	github.com/foo/bar/v4.(*Foo).Bar	bar.(*Foo).Bar
 *	com.foo.Bar.<init>(I)V			Bar.<init>
 *	ns1::ns2::Foo::~Foo()			Foo::~Foo
 */
void shorten_name(const char *name, size_t n, char *out, size_t *out_n);

#endif
