/*
 * stats.h - the distributions that prof-gate needs; the only module that knows
 * the GNU Scientific Library.
 */
#ifndef STATS_H
#define STATS_H

#include "lib/gate/gate.h"

/* NULL in a build without the library. */
const struct gate_dist *stats_dist(void);

#endif
