/* elf-mutate.h - mutants of ELF files that still are ELF files. */
#ifndef ELF_MUTATE_H
#define ELF_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Of libFuzzer, or of main.c where that is not there. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max,
			       unsigned seed);

/*
 * Change n bytes of a file in place, up to max; returns its new length. The
 * same seed makes the same change. Other files are changed anywhere.
 */
size_t elf_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);

#endif
