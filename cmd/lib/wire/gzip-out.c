/*
 * gzip-out.c - see gzip-out.h. Pieces form a ring: the caller fills one after
 * the other, and idle threads compress them. The thread that finishes the next
 * piece in order writes it and all finished pieces after it. When the ring is
 * full the caller compresses, too, so n threads keep n processors busy.
 */
#include "config.h"

#include "gzip-out.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compress.h"
#include "lib/base/retry.h"
#include "packer.h"

enum state { PIECE_FREE, PIECE_READY, PIECE_TAKEN, PIECE_DONE };

struct piece {
	struct packer_input in;
	struct buf out;
	enum state state;
};

struct gzip_out {
	int fd, level;
	uint32_t crc, size;    /* of the input, for the trailer */
	struct packer *packer; /* the caller's */

	pthread_t thread[GZIP_OUT_MAX_THREADS];
	unsigned n_thread, n_started; /* besides the caller's */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a piece became READY or FREE, or it ends */
	struct piece *piece;    /* n_piece; piece k is piece[k % n_piece] */
	size_t n_piece;
	/* Protected by the lock; pieces are counted from 0. */
	size_t filling; /* filled by the caller; only it changes this */
	size_t next;    /* to be compressed */
	size_t written; /* the number written */
	bool is_writing, is_ending;
	enum prof_status status;
	struct prof_err err;
};

static struct piece *
piece_at(struct gzip_out *o, size_t k)
{
	return &o->piece[k % o->n_piece];
}

/* --- compressing --- */

/* Write all finished pieces, in order. Called and left with the lock. */
static void
write_done(struct gzip_out *o)
{
	struct piece *p;

	if (o->is_writing)
		return;
	o->is_writing = true;
	while ((p = piece_at(o, o->written))->state == PIECE_DONE) {
		enum prof_status st = o->status;
		struct prof_err err;

		pthread_mutex_unlock(&o->lock);
		if (st == PROF_OK)
			st = write_all(o->fd, p->out.data, p->out.n, &err);
		p->out.n = 0;
		pthread_mutex_lock(&o->lock);
		if (o->status == PROF_OK && st != PROF_OK) {
			o->status = st;
			o->err = err;
		}
		p->state = PIECE_FREE;
		o->written++;
		pthread_cond_broadcast(&o->changed);
	}
	o->is_writing = false;
}

/*
 * Compress the next piece and write finished ones; false: there was none.
 * Called and left with the lock.
 */
static bool
compress_one(struct gzip_out *o, struct packer *packer)
{
	struct piece *p = piece_at(o, o->next);
	enum prof_status st = o->status;
	struct prof_err err;

	if (p->state != PIECE_READY)
		return false;
	p->state = PIECE_TAKEN;
	o->next++;
	pthread_mutex_unlock(&o->lock);
	if (st == PROF_OK)
		st = packer_run(packer, &p->in, &p->out, &err);
	pthread_mutex_lock(&o->lock);
	if (o->status == PROF_OK && st != PROF_OK) {
		o->status = st;
		o->err = err;
	}
	p->state = PIECE_DONE;
	write_done(o);
	return true;
}

static void *
work(void *arg)
{
	struct gzip_out *o = arg;
	struct packer *packer = packer_new(o->level);

	/* Without memory the other threads do the work. */
	if (!packer)
		return NULL;
	pthread_mutex_lock(&o->lock);
	for (;;) {
		if (compress_one(o, packer))
			continue;
		if (o->is_ending)
			break;
		pthread_cond_wait(&o->changed, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	packer_free(packer);
	return NULL;
}

/*
 * Block signals in the thread, so that they go to the program's other threads.
 * Except SIGPIPE, which a thread sends to itself: it ends the process when the
 * reader of the pipe is gone.
 */
static void
start_thread(struct gzip_out *o)
{
	sigset_t all, old;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&o->thread[o->n_started], NULL, work, o) == 0)
		o->n_started++;
	else
		o->n_thread = o->n_started;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* --- the caller's side --- */

static void
gzip_out_free(struct gzip_out *o)
{
	for (size_t k = 0; o->piece && k < o->n_piece; k++) {
		free(o->piece[k].in.data);
		buf_release(&o->piece[k].out);
	}
	free(o->piece);
	packer_free(o->packer);
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->changed);
	free(o);
}

enum prof_status
gzip_out_begin(int fd, int level, unsigned n_thread, struct gzip_out **out,
	       struct prof_err *err)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8, [9] = 255 };
	struct gzip_out *o = calloc(1, sizeof(*o));

	*out = NULL;
	if (!o)
		return prof_nomem(err);
	o->fd = fd;
	o->level = level;
	if (n_thread > 1 && level > 0)
		o->n_thread = n_thread - 1 < GZIP_OUT_MAX_THREADS
				      ? n_thread - 1
				      : GZIP_OUT_MAX_THREADS;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->changed, NULL);
	/* One to fill and one ready for each thread. */
	o->n_piece = o->n_thread ? 2 * o->n_thread + 2 : 1;
	o->piece = calloc(o->n_piece, sizeof(*o->piece));
	o->packer = packer_new(level);
	if (!o->piece || !o->packer ||
	    buf_add(&o->piece[0].out, header, sizeof(header)) < 0) {
		gzip_out_free(o);
		return prof_nomem(err);
	}
	*out = o;
	return PROF_OK;
}

/*
 * Submit the piece that the caller has filled for compression, and wait until
 * the next one is free.
 */
static enum prof_status
submit(struct gzip_out *o, bool is_last, struct prof_err *err)
{
	struct piece *p = piece_at(o, o->filling), *next;
	enum prof_status st;

	next = piece_at(o, o->filling + 1);
	p->in.is_last = is_last;
	pthread_mutex_lock(&o->lock);
	p->state = PIECE_READY;
	o->filling++;
	pthread_cond_broadcast(&o->changed);
	if (!is_last && o->n_started < o->n_thread)
		start_thread(o);
	while (is_last ? o->written < o->filling : next->state != PIECE_FREE)
		if (!compress_one(o, o->packer))
			pthread_cond_wait(&o->changed, &o->lock);
	st = o->status;
	if (st != PROF_OK && err)
		*err = o->err;
	pthread_mutex_unlock(&o->lock);
	if (!is_last)
		next->in.n = 0;
	return st;
}

enum prof_status
gzip_out_put(struct gzip_out *o, const void *data, size_t n,
	     struct prof_err *err)
{
	const uint8_t *from = data;
	enum prof_status st;

	o->crc = gzip_crc32(o->crc, data, n);
	o->size += (uint32_t)n;
	while (n) {
		struct packer_input *in = &piece_at(o, o->filling)->in;
		size_t take;

		if (in->n == PACKER_PIECE) {
			/* A full piece waits for more input, as it may be the
			 * last. */
			st = submit(o, false, err);
			if (st != PROF_OK)
				return st;
			continue;
		}
		if (!in->data)
			in->data = malloc(PACKER_PIECE);
		if (!in->data)
			return prof_nomem(err);
		take = PACKER_PIECE - in->n < n ? PACKER_PIECE - in->n : n;
		memcpy(in->data + in->n, from, take);
		in->n += take;
		from += take;
		n -= take;
	}
	return PROF_OK;
}

/* Let the threads finish their pieces. */
static void
stop_threads(struct gzip_out *o)
{
	pthread_mutex_lock(&o->lock);
	o->is_ending = true;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
	while (o->n_started)
		pthread_join(o->thread[--o->n_started], NULL);
}

enum prof_status
gzip_out_end(struct gzip_out *o, struct prof_err *err)
{
	enum prof_status st = submit(o, true, err);
	uint8_t trailer[8];

	for (int i = 0; i < 4; i++) {
		trailer[i] = (uint8_t)(o->crc >> 8 * i);
		trailer[4 + i] = (uint8_t)(o->size >> 8 * i);
	}
	if (st == PROF_OK)
		st = write_all(o->fd, trailer, sizeof(trailer), err);
	stop_threads(o);
	gzip_out_free(o);
	return st;
}

void
gzip_out_abandon(struct gzip_out *o)
{
	pthread_mutex_lock(&o->lock);
	o->status = PROF_EIO;
	pthread_mutex_unlock(&o->lock);
	stop_threads(o);
	gzip_out_free(o);
}
