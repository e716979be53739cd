/*
 * foreign.c - what depends on the machine, compiled again for another one,
 * whose profiles are read here: machine_foreign. Its functions have other
 * names; one that is forgotten below is defined twice, as the linker says.
 */
#include "config.h"

#define UNWIND_FOREIGN

#define gopcsp_compile foreign_gopcsp_compile
#define machine_own machine_foreign
#define unwind_cfi_compile foreign_unwind_cfi_compile
#define unwind_entry_cie foreign_unwind_entry_cie
#define unwind_entry_cie_of foreign_unwind_entry_cie_of
#define unwind_entry_fde foreign_unwind_entry_fde
#define unwind_entry_hdr foreign_unwind_entry_hdr
#define unwind_entry_open foreign_unwind_entry_open
#define unwind_expr_check foreign_unwind_expr_check
#define unwind_expr_eval foreign_unwind_expr_eval
#define unwind_far_load foreign_unwind_far_load
#define unwind_map foreign_unwind_map
#define unwind_reg foreign_unwind_reg
#define unwind_row_emit foreign_unwind_row_emit
#define unwind_row_out foreign_unwind_row_out
#define unwind_row_pack foreign_unwind_row_pack
#define unwind_row_root foreign_unwind_row_root
#define unwind_row_rule foreign_unwind_row_rule
#define unwind_row_run foreign_unwind_row_run
#define unwind_step_guess foreign_unwind_step_guess
#define unwind_step_regs foreign_unwind_step_regs
#define unwind_step_rule foreign_unwind_step_rule
#define walk_frames foreign_walk_frames
#define walk_perf_regs foreign_walk_perf_regs
#define walker_free foreign_walker_free
#define walker_new foreign_walker_new

#include "libsample/unwind/cfi.c"
#include "libsample/unwind/entry.c"
#include "libsample/unwind/expr.c"
#include "libsample/unwind/pool.c"
#include "libsample/unwind/row.c"
#include "libsample/unwind/step.c"
#include "unwind/gopcsp.c"
#include "unwind/walk.c"
