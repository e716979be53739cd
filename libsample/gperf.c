/*
 * gperf.c - the functions and environment of gperftools' CPU profiler, so that
 * a program written for -lprofiler can be linked with -lsample. Its files are
 * then profile.proto. In a program that prof-record samples, its calls go on to
 * gperftools if it is linked with that.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "real.h"
#include "sample.h"
#include "sampler.h"
#include "wrap.h"

/* As declared in <gperftools/profiler.h>. */
struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};
struct ProfilerOptions;

SAMPLE_API int ProfilerStart(const char *name);
SAMPLE_API int ProfilerStartWithOptions(const char *name,
					const struct ProfilerOptions *options);
SAMPLE_API void ProfilerStop(void);
SAMPLE_API void ProfilerFlush(void);
SAMPLE_API void ProfilerEnable(void);
SAMPLE_API void ProfilerDisable(void);
SAMPLE_API int ProfilingIsEnabledForAllThreads(void);
SAMPLE_API void ProfilerRegisterThread(void);
SAMPLE_API void ProfilerGetCurrentState(struct ProfilerState *state);

static struct {
	char name[1024]; /* of the current profile */
	time_t start;
	char toggle[1000]; /* CPUPROFILE, with CPUPROFILESIGNAL */
	unsigned n_toggle;
	sem_t toggled;
	pthread_t toggler; /* if toggler_pid is this process */
	pid_t toggler_pid;
	_Atomic bool ends;
} gperf LARGE;

#define FUNCTIONS(F)                                                           \
	F(int, ProfilerStart, (const char *))                                  \
	F(int, ProfilerStartWithOptions,                                       \
	  (const char *, const struct ProfilerOptions *))                      \
	F(void, ProfilerStop, (void))                                          \
	F(void, ProfilerFlush, (void))                                         \
	F(int, ProfilingIsEnabledForAllThreads, (void))                        \
	F(void, ProfilerRegisterThread, (void))                                \
	F(void, ProfilerGetCurrentState, (struct ProfilerState *))

static struct {
	FUNCTIONS(REAL_MEMBER)
} real;

static bool
is_recorded(void)
{
	return sampler_init() && sampler_is_on() && !sampler.shm->set.owner;
}

/*
 * We are in front of gperftools only because we are preloaded, and its file is
 * not ours to write. Looked up when it is called: most programs never do, and
 * each look-up that fails takes long.
 */
static bool
is_passed_on(void)
{
	if (!real.ProfilerGetCurrentState && is_recorded()) {
		FUNCTIONS(REAL_FIND)
		real_found();
	}
	return real.ProfilerGetCurrentState;
}

/* A number in the environment; fallback if it is invalid or out of range. */
static int
number(const char *variable, int min, int max, int fallback)
{
	const char *text = secure_getenv(variable);
	const char *end = text;
	uint64_t n = text ? number_read(&end, 10) : 0;

	if (!text || end == text || *end || n < (uint64_t)min)
		return fallback;
	return n > (uint64_t)max ? max : (int)n;
}

int
ProfilerStart(const char *name)
{
	struct sample_options o = {
		.hz = (unsigned)number("CPUPROFILE_FREQUENCY", 1, 4000, 100),
		.wall = secure_getenv("CPUPROFILE_REALTIME") != NULL,
		.signal = number("CPUPROFILE_TIMER_SIGNAL", 1, SIGRTMAX, 0),
	};

	if (is_passed_on())
		return real.ProfilerStart(name);
	if (is_recorded())
		module_note("%s[%d]: ProfilerStart() writes no file, as "
			    "prof-record samples the program",
			    sampler.name, (int)sampler.pid);
	if (sample_start(name, &o) != 0)
		return 0;
	snprintf(gperf.name, sizeof(gperf.name), "%s", name);
	gperf.start = time(NULL);
	return 1;
}

/* The only option is a filter that is called at each tick, in the handler. It
 * is ignored, as it could do anything there. */
int
ProfilerStartWithOptions(const char *name,
			 const struct ProfilerOptions *options)
{
	if (is_passed_on())
		return real.ProfilerStartWithOptions(name, options);
	return ProfilerStart(name);
}

void
ProfilerStop(void)
{
	if (is_passed_on())
		real.ProfilerStop();
	else
		sample_stop();
}

void
ProfilerFlush(void)
{
	if (is_passed_on())
		real.ProfilerFlush();
	else
		sample_flush();
}

/* These have no effect in gperftools, either. */
void
ProfilerEnable(void)
{
}

void
ProfilerDisable(void)
{
}

int
ProfilingIsEnabledForAllThreads(void)
{
	return is_passed_on() ? real.ProfilingIsEnabledForAllThreads()
			      : sample_is_on();
}

void
ProfilerRegisterThread(void)
{
	if (is_passed_on())
		real.ProfilerRegisterThread();
	else
		sample_thread();
}

void
ProfilerGetCurrentState(struct ProfilerState *state)
{
	if (is_passed_on()) {
		real.ProfilerGetCurrentState(state);
		return;
	}
	memset(state, 0, sizeof(*state));
	if (!sample_is_on())
		return;
	state->enabled = 1;
	state->start_time = gperf.start;
	memcpy(state->profile_name, gperf.name, sizeof(gperf.name));
	state->samples_gathered = (int)atomic_load(&sampler_count()->n_signal);
}

static void
on_toggle(int sig)
{
	int saved = errno;

	(void)sig;
	sem_post(&gperf.toggled);
	errno = saved;
}

/*
 * CPUPROFILESIGNAL: start at the first signal, stop at the second, and so on,
 * with a new file each time. This is not safe in a handler, so a thread does
 * it.
 */
static void *
toggle(void *arg)
{
	(void)arg;
	for (;;) {
		char name[1024];

		if (sem_wait(&gperf.toggled) != 0)
			continue;
		if (atomic_load(&gperf.ends))
			return NULL;
		if (sample_is_on()) {
			sample_stop();
			continue;
		}
		snprintf(name, sizeof(name), "%s.%u", gperf.toggle,
			 gperf.n_toggle++);
		ProfilerStart(name);
	}
}

static void
toggle_by(int sig, const char *name)
{
	struct sigaction act = { .sa_handler = on_toggle,
				 .sa_flags = SA_RESTART };

	snprintf(gperf.toggle, sizeof(gperf.toggle), "%s", name);
	if (sem_init(&gperf.toggled, 0, 0) != 0 ||
	    wrap_thread(&gperf.toggler, NULL, toggle) != 0)
		return;
	gperf.toggler_pid = getpid();
	sigaction(sig, &act, NULL);
}

void
gperf_end(void)
{
	if (gperf.toggler_pid != getpid())
		return;
	gperf.toggler_pid = 0;
	atomic_store(&gperf.ends, true);
	sem_post(&gperf.toggled);
	pthread_join(gperf.toggler, NULL);
}

void
gperf_init(void)
{
	const char *file = secure_getenv("CPUPROFILE");
	int sig = number("CPUPROFILESIGNAL", 1, SIGRTMAX, 0);
	char name[1000];

	if (!file || !*file)
		return;
	/* A program started by this one writes its own file. */
	if (secure_getenv("CPUPROFILE_USE_PID"))
		snprintf(name, sizeof(name), "%s_%d", file, (int)getpid());
	else
		snprintf(name, sizeof(name), "%s", file);
	setenv("CPUPROFILE_USE_PID", "1", 1);
	if (sig)
		toggle_by(sig, name);
	else if (!ProfilerStart(name))
		fprintf(stderr, "libsample: cannot profile into %s\n", name);
}
