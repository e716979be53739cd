/*
 * symbolz.h - what is said to a server, and by it, that knows the names of its
 * own addresses: gperftools' and Go's /pprof/symbol. This is work on text;
 * remote.c does the talking.
 *
 *	POST /pprof/symbol	0x401100+0x401200
 *	0x401100	main
 *	0x401200	std::sort
 */
#ifndef SYMBOLZ_H
#define SYMBOLZ_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * The URL to ask, of the server that the profile at url came from: beside a
 * page below /pprof/ it is "symbol", elsewhere "symbolz", as pprof has it. For
 * free(); NULL without memory, or if url is none.
 */
char *symbolz_url(const char *url);

/* Append the question for n addresses, ended by NUL. -1 without memory. */
int symbolz_query(struct buf *b, const uint64_t *addr, size_t n);

/*
 * The n-byte answer to GET, "num_symbols: N": 1 the server knows names, 0 it
 * has none, -1 it is no such answer.
 */
int symbolz_probe(const char *reply, size_t n);

/* Receives the name of an address: len > 0 bytes, without a NUL. */
typedef void symbolz_fn(void *ctx, uint64_t addr, const char *name, size_t len);

/*
 * Call fn for each line "0xADDRESS NAME" of an answer, in order. Other lines,
 * and addresses without a name, are skipped.
 */
void symbolz_parse(const char *reply, size_t n, symbolz_fn *fn, void *ctx);

#endif
