/* demangle-d.h - the names of D, for demangle.c. */
#ifndef DEMANGLE_D_H
#define DEMANGLE_D_H

#include "demangle.h"

/* As demangle_name(), of one that begins with _D. */
char *demangle_d(const char *mangled, enum demangle_mode mode);

#endif
