/*
 * sample.h - the public interface of libsample, for programs that link it
 * (-lsample) and start, stop and label their profiles themselves. A program
 * that prof-record runs needs none of this. If it uses this interface anyway,
 * prof-record gets the samples and labels; start, stop and flush return 0
 * and do nothing.
 *
 * All functions may be called from any thread, but not from signal handlers.
 * Those that return int return 0 or an errno value: also EAGAIN or ENOMEM,
 * where libsample cannot be set up or a thread not be made. None changes errno.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif

#define SAMPLE_API __attribute__((visibility("default")))

struct sample_options {
	unsigned hz; /* ticks per second of each thread; 0: 100 */
	int wall;    /* count real time, not CPU time */
	int signal;  /* the signal that interrupts threads; 0: SIGPROF */
};

/*
 * Begin a profile of all threads of this process, and of the processes it
 * forks. prof-record writes it to file, as gzipped profile.proto, when
 * sample_stop() is called or the process ends, however it ends. options may be
 * NULL.
 *
 * Errors: EPERM, the program is set-user-id, set-group-id or has file
 * capabilities; EBUSY, a profile is under way; EINVAL; ENOENT, prof-record not
 * found in $PROF_RECORD, beside libsample or where it was installed; the errors
 * of opening the file.
 */
SAMPLE_API int sample_start(const char *file,
			    const struct sample_options *options);

/* End the profile; when this returns, file is complete. EALREADY if there is
 * none, EIO if it could not be written. */
SAMPLE_API int sample_stop(void);

/* Write the profile so far to file, and go on. Errors as sample_stop(). */
SAMPLE_API int sample_flush(void);

/* Is a profile under way, however it was started? */
SAMPLE_API int sample_is_on(void);

/*
 * Give the later samples of the calling thread, and of threads that it starts
 * later, the label key=value, as in pprof. A NULL value removes the label. At
 * most 16 labels and 1000 bytes, else E2BIG.
 */
SAMPLE_API int sample_label(const char *key, const char *value);

/*
 * Sample the calling thread, too: for threads that were there before libsample
 * was loaded, that clone(2) made, or that blocked all signals before the first
 * profile began. All others are sampled automatically.
 */
SAMPLE_API int sample_thread(void);

#ifdef __cplusplus
}
#endif
#endif
