#!/bin/sh
# heap.t [TIMES] - prof-record --heap and --growth: estimates against real
# allocations, under several allocators; and hard cases for a library that
# interposes malloc. `make truth` repeats it more often.
# Slow: begins early.
times=${1:-1}
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

heap=$bin/tests/heap
period=65536

# The estimates of each function: objects, bytes, and in use, by the first frame
# that is in the program, as operator new is of a library.
estimates() {
	named "$heap" --all "$1" | awk '
		/^#/ { next }
		{
			for (k = 5; k < NF && $k == "?"; k++)
				;
			seen[$k] = 1
			for (c = 1; c <= 4; c++)
				sum[$k, c] += $c
		}
		END {
			for (f in seen)
				print f, sum[f, 1], sum[f, 2], sum[f, 3], sum[f, 4]
		}'
}

# judge KNOWN PROFILE: how far off each is, in standard deviations of the
# estimator: a sample of one stands for 1/p, p = 1 - exp(-size/period), so of n
# the variance is n (1 - p) / p.
judge() {
	estimates "$2" >got
	awk -v period=$period "$chance"'
		function off(got, n, p,    sd) {
			# Estimates are rounded to whole objects.
			sd = sqrt(n * (1 - p) / p) + 0.5
			return (got - n) / sd
		}
		NR == FNR { for (c = 1; c <= 4; c++) got[$1, c] = $(c + 1); next }
		{
			p = 1 - exp(-$3 / period)
			z[1] = off(got[$1, 1], $2, p)
			z[2] = off(got[$1, 2] / $3, $2, p)
			z[3] = off(got[$1, 3], $4, p)
			z[4] = off(got[$1, 4] / $3, $4, p)
			printf "%-18s %8d of %6d bytes: %9d; in use %7d: %8d; off by",
				$1, $2, $3, got[$1, 1], $4, got[$1, 3]
			for (c = 1; c <= 4; c++) {
				printf " %.1f", z[c]
				if (z[c] * z[c] > worst)
					worst = z[c] * z[c]
			}
			chi += z[1] * z[1]
			n++
			print ""
		}
		END {
			printf "chi-square %.1f of %d\n", chi, n
			exit !(n > 10 && chance_normal(sqrt(worst), 1, 4 * n))
		}' got "$1"
}

# allocations LIBRARY: the estimates with this allocator.
allocations() {
	env LD_PRELOAD="$1" prof-record --heap=$period -o h.pb.gz "$heap" "$times" >known ||
		return 2
	judge known h.pb.gz
}

# Each allocator that is there, by its library.
dir=$(dirname "$(${CC:-cc} -print-file-name=libc.so.6)")
for allocator in glibc tcmalloc_minimal.so.4 tcmalloc.so.4 jemalloc.so.2; do
	lib=$dir/lib$allocator
	name="the truth of known allocations under $allocator"
	if [ $allocator = glibc ]; then
		lib=
	elif [ ! -e "$lib" ]; then
		skip "$name" 'not there'
		continue
	fi
	live "$name" allocations "$lib"
done

# What a profile looks like.
check 'the columns, and which is shown' 0 \
	'prof-record -q --heap -o heap.pb.gz ls >/dev/null
	 prof-text --raw heap.pb.gz | grep -A1 -e ^Period -e ^Samples |
		grep -v -e ^Time -e ^--' <<'END'
PeriodType: space bytes
Period: 524288
Samples:
alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]
END
if lacks 'prof-symbolize heap.pb.gz'; then
	skip 'an example of the manual' 'without elfutils'
else
	# ls has no names; if it is in the profile, that is said.
	check 'an example of the manual' 0 '{
			prof-symbolize heap.pb.gz | prof-text -q --sample-index=alloc_space
		} 2>/dev/null | sed -n "s/^Type/&/p"' <<'END'
Type: alloc_space
END
fi

# Every allocation, by a program that is short enough for that.
cat >exact.c <<'END'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *early;
__attribute__((constructor)) static void load(void)
{
	early = malloc(7777);
}
__attribute__((noinline)) void *grow(void *p, size_t n)
{
	void *q = realloc(p, n);
	__asm__ volatile("" ::"r"(q) : "memory");
	return q;
}
int main(int argc, char **argv)
{
	void *p = NULL, *fail;
	char *big = malloc(100000);
	for (int i = 1; i <= 100; i++)
		p = grow(p, i * 1000);
	fail = grow(p, (size_t)1 << 60);
	dprintf(1, "%d %d\n", fail == NULL, malloc_usable_size(early) >= 7777);
	early = realloc(early, 5000);
	free(big);
	if (argc > 1)
		execv("/bin/true", (char *[]){ "true", NULL });
	return 0;
}
END
${CC:-cc} -O1 -fno-builtin -o exact exact.c
check 'BYTES of 1: every allocation; realloc that moves, and that fails' 0 \
	"prof-record --heap=1 -o e.pb.gz ./exact"'
	 stacks --all e.pb.gz | grep exact+ |
		awk "{ print \$NF, \$1, \$2, \$3, \$4 }" | sort -t= -k2n |
		grep -v -e "bytes=[1-9][0-9]000 " -e "bytes=4096 "' <<'END'
1 1
bytes=1000 1 1000 0 0
bytes=2000 1 2000 0 0
bytes=3000 1 3000 0 0
bytes=4000 1 4000 0 0
bytes=5000 1 5000 0 0
bytes=5000 1 5000 1 5000
bytes=6000 1 6000 0 0
bytes=7000 1 7000 0 0
bytes=7777 1 7777 0 0
bytes=8000 1 8000 0 0
bytes=9000 1 9000 0 0
bytes=100000 1 100000 0 0
bytes=100000 1 100000 1 100000
END

# Many at a time; and more than there is room for, while nobody reads: then the
# loss and the profile add up.
cat >many.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void *volatile kept;
int main(int argc, char **argv)
{
	if (strcmp(argv[1], "live") == 0)
		for (int i = 0; i < 300000; i++)
			kept = malloc(40);
	if (strcmp(argv[1], "lost") == 0) {
		kill(getppid(), SIGSTOP);
		for (int i = 1; i <= 20000; i++)
			kept = malloc(i);
		kill(getppid(), SIGCONT);
	}
	if (strcmp(argv[1], "map") == 0) {
		size_t n = 100 << 20;
		memset(mmap(NULL, n, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, n);
		sleep(argc); /* it is looked at ten times a second */
	}
	return 0;
}
END
${CC:-cc} -O1 -fno-builtin -o many many.c
check 'all that is in use is in the profile, however many' 0 \
	"prof-record --heap=1 -o e.pb.gz ./many live"'
	stacks --all e.pb.gz | sed -n "s/ many+.* / /;/bytes=40$/p;
		s/.* lost=0 .*/none lost/p"' <<'END'
none lost
300000 12000000 300000 12000000 bytes=40
END
check 'what there is no room for is counted, in bytes' 0 \
	"prof-record -q --heap=1 -o e.pb.gz ./many lost"'
	stacks --all e.pb.gz | awk "
		/^#.* lost_bytes=/ { sub(/.*lost_bytes=/, \"\"); lost = \$1 }
		/ many\\+/ { sum += \$2 }
		END { print (lost > 0), sum + lost }"' <<'END'
1 200010000
END
mapped() {
	prof-record --heap -o e.pb.gz ./many map 2>err || return 2
	cat err
	grep -q '^prof-record: many: 10[0-9.]*MB of 10[0-9.]*MB of memory are not' err
}
live 'memory that malloc() did not give' mapped
check 'exec: what was in use then' 0 \
	"prof-record --heap=1 -o e.pb.gz ./exact exec"' >/dev/null
	 stacks --all e.pb.gz | grep exact+ |
		awk "{ n += \$3; b += \$4 } END { print n, b }"' <<'END'
2 105000
END
check 'growth: how the heap got to its largest size, and no further' 0 \
	"prof-record --growth=1 -o e.pb.gz ./exact"' >/dev/null
	 stacks --all e.pb.gz | awk "!/^#/ { b += \$2 }
		END { print (b > 200000 && b < 320000) }"' <<'END'
1
END

# A library whose constructor runs before any of ours, and whose first malloc is
# one of libc's own, under the lock of the environment or of fork handlers.
cat >early.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *kept[50];
static void nothing(void)
{
}
__attribute__((noinline)) void *early_block(size_t n)
{
	void *p = malloc(n);
	__asm__ volatile("" ::"r"(p) : "memory");
	return p;
}
__attribute__((constructor)) static void early_load(void)
{
#ifdef SETENV
	setenv("EARLY", "yes", 1);
#endif
	for (int i = 0; i < 1000; i++)
		pthread_atfork(nothing, nothing, nothing);
	for (int i = 0; i < 50; i++)
		kept[i] = early_block(100001);
	free(early_block(100003));
}
void early_use(void);
void early_use(void)
{
	free(kept[0]);
}
END
cat >late.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
void early_use(void);
int main(void)
{
	early_use();
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	return 0;
}
END
for lock in SETENV ATFORK; do
	${CC:-cc} -D$lock -g -O1 -fno-builtin -shared -fPIC -o libearly$lock.so early.c
	${CC:-cc} -o late$lock late.c -L. -learly$lock -Wl,-rpath,"$PWD"
	for how in merge none; do
		check "constructors that come before ours: $lock, --children=$how" 0 \
			"prof-record --heap=1 --children=$how -o e.pb.gz ./late$lock"'
			 stacks --all e.pb.gz | grep -e =100001 -e =100003 |
				grep -c "libearly.*libearly"
			 stacks --all e.pb.gz | grep -e =100001 -e =100003 |
				awk "{ print \$NF, \$1, \$2, \$3, \$4 }" | sort' <<'END'
2
bytes=100001 50 5000050 49 4900049
bytes=100003 1 100003 0 0
END
	done
done
# By a path without blanks, whatever TMPDIR is.
LD_PRELOAD=./libearlySETENV.so prof-record --heap=1 -o e.pb.gz true
check 'one that is preloaded' 0 \
	'stacks --all e.pb.gz | grep =100001 | awk "{ print \$1, \$3 }"' <<'END'
50 50
END

# What libsample itself needs for each thread is not the program's.
cat >threads.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *run(void *arg)
{
	free(malloc(77777));
	return arg;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 50; i++) {
		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
END
${CC:-cc} -fno-builtin -O1 -pthread -o threads threads.c
check 'what libsample allocates for threads is not the program'\''s' 0 \
	'prof-record --heap=1 -o e.pb.gz ./threads
	 stacks --all e.pb.gz | awk "
		/^# sampling/ { match(\$0, /unwind_failed=[0-9]*/)
			print (substr(\$0, RSTART + 14, RLENGTH - 14) < 50) }
		/bytes=77777/ { print \$1 }"' <<'END'
1
50
END

# killed, forked: estimates of a program that ends by kill -9, and of one with two
# children that do the same.
killed() {
	prof-record --heap=$period -o h.pb.gz "$heap" 1 kill >known
	[ $? -eq 137 ] || return 2
	judge known h.pb.gz
}
forked() {
	prof-record --heap=$period -o h.pb.gz "$heap" 1 2 >known || return 2
	judge known h.pb.gz
}
first_only() {
	prof-record --heap=$period --children=none -o h.pb.gz "$heap" 1 2 >known || return 2
	awk '{ $2 /= 3; $4 /= 3; print }' known >first
	judge first h.pb.gz
}
live 'kill -9 loses nothing: what was in use is there' killed
live 'forked children have what they allocated themselves' forked
check_err 'options of ticks are without effect, and that is said' 0 \
	'prof-record --heap=1 --clock=wall -o x.pb.gz ls >ls' \
	'-F and --clock have no effect'
live '--children=none: the first process only' first_only
check 'the environment of programs that are started then' 0 \
	'prof-record -q --heap --children=none -o x.pb.gz \
		sh -c "env | grep -c -e SAMPLE_ -e LD_PRELOAD; :"
	 LD_PRELOAD=libm.so.6 prof-record -q --heap --children=none -o x.pb.gz \
		sh -c "env | grep LD_PRELOAD"' <<'END'
0
LD_PRELOAD=libm.so.6
END

# A program without C++ that loads a library with C++, for itself.
cat >plugin.cc <<'END'
#include <cstdio>
#include <new>
extern "C" void run(void)
{
	static char *volatile kept;
	char *volatile p = new char[1234];
	kept = new char[4321];
	delete[] p;
	try {
		volatile size_t n = (size_t)1 << 60;
		kept = new char[n];
	} catch (std::bad_alloc &) {
		puts("caught");
	}
	puts(new (std::nothrow) char[(size_t)kept | (size_t)1 << 62] ? "" : "null");
}
END
cat >loader.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *h = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	void (*run)(void) = (void (*)(void))dlsym(h, "run");
	run();
	return 0;
}
END
if ${CXX:-c++} -O1 -shared -fPIC -fno-builtin -o plugin.so plugin.cc &&
	${CC:-cc} -o loader loader.c -ldl; then
	check 'a library with C++ in a program without' 0 \
		"prof-record --heap=1 -o e.pb.gz ./loader"'
		 stacks --all e.pb.gz | grep plugin.so+ | grep -e =1234 -e =4321 |
			awk "{ print \$NF, \$1, \$2, \$3, \$4 }" | sort' <<'END'
caught
null
bytes=1234 1 1234 0 0
bytes=4321 1 4321 1 4321
END
else
	skip 'a library with C++ in a program without' 'no C++ compiler'
fi
cat >own.c <<'END'
#include <stddef.h>
static char room[1 << 20];
static size_t used;
void *malloc(size_t n)
{
	void *p = room + used;
	used += (n + 15) & -16;
	return p;
}
void free(void *p)
{
	(void)p;
}
int main(void)
{
	return malloc(100) == NULL;
}
END
${CC:-cc} -fno-builtin -rdynamic -o own own.c
check_err 'a program with a malloc of its own' 0 \
	'prof-record --heap -o x.pb.gz ./own' 'has a malloc of its own'
# musl does not tell symbols of addresses.
if have musl-gcc && musl-gcc -fPIE -pie -fno-builtin -rdynamic -o own.musl own.c 2>log; then
	check_err '... by musl' 0 'prof-record --heap -o x.pb.gz ./own.musl' \
		'has a malloc of its own'
else
	skip '... by musl' 'no musl-gcc'
fi
cat >taken.c <<'END'
#include <stdlib.h>
void *(*volatile address)(size_t) = malloc;
int main(void)
{
	return address == malloc && address(1 << 22) == NULL;
}
END
${CC:-cc} -fno-pie -no-pie -o taken taken.c
check 'not one that takes the address of malloc, without PIE' 0 \
	'prof-record --heap -o x.pb.gz ./taken' <<'END'
END

# Other people's tools.
prof-record --heap=$period -o h.pb.gz "$heap" >known
if have go && ! lacks 'prof-symbolize h.pb.gz'; then
	prof-symbolize -o hs.pb.gz h.pb.gz
	check 'go tool pprof reads it, and has the same sum' 0 \
		'go tool pprof -symbolize=none -sample_index=alloc_objects -top hs.pb.gz 2>/dev/null |
			sed -n "s/.* of \([0-9]*\) total.*/\1/p" >theirs
		 prof-text -q --sample-index=alloc_objects hs.pb.gz |
			sed -n "s/.* of \([0-9]*\) total.*/\1/p" | cmp - theirs && echo same' <<'END'
same
END
else
	skip 'go tool pprof reads it, and has the same sum' 'no go'
fi

# gperftools counts every allocation; its last dump is when the program ends. It unwinds by
# libgcc, as libunwind blocks signals twice for each: the same stacks for a quarter of the time.
tcmalloc=$dir/libtcmalloc.so.4
name="the heap of gperftools' HEAPPROFILE, within what sampling allows"
if [ -e "$tcmalloc" ] && have google-pprof; then
	TCMALLOC_STACKTRACE_METHOD=libgcc LD_PRELOAD=$tcmalloc HEAPPROFILE=$PWD/theirs "$heap" >known 2>err
	dump=$(ls theirs.*.heap | tail -1)
	google-pprof --text --alloc_space --show_bytes "$heap" "$dump" 2>/dev/null |
		awk '$NF ~ /^by_/ && $NF != "by_strdup" { print $NF, $4 }' |
		sort >theirs.txt
	estimates h.pb.gz | awk '/^by_/ { print $1, $3 }' | sort >ours.txt
	sort known >sizes.txt
	if join theirs.txt ours.txt | join - sizes.txt | awk -v period=$period "$chance"'
		{
			a += $2
			b += $3
			p = 1 - exp(-$5 / period)
			variance += $2 * $5 * (1 - p) / p
			n++
		}
		END {
			print "# gperftools", a, "bytes; libsample", b, "in", n ", sd", sqrt(variance)
			exit !(n >= 10 && chance_normal(b - a, sqrt(variance), 1))
		}' >why; then
		ok "$name"
		cat why
	else
		cat err theirs.txt >>why
		not_ok "$name" <why
	fi
else
	skip "$name" 'no gperftools'
fi

# Memory for live samples is only reserved, but counts as address space.
cat >crowd.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 60 };
static void *nothing(void *arg) { usleep(100000); return arg; }
int main(void)
{
	pthread_attr_t attr;
	pthread_t t[N];
	int failed = 0;
	char *p = malloc(8 << 20);

	memset(p, 1, 8 << 20);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 8 << 20);
	for (int i = 0; i < N; i++)
		failed += pthread_create(&t[i], &attr, nothing, p) != 0;
	printf("%d failed\n", failed);
	return 0;
}
END
name='under a limit on address space, a program runs as it does alone'
if [ -n "${sanitized:-}" ]; then
	skip "$name" 'a sanitizer build'
elif ! ${CC:-cc} -pthread -o crowd crowd.c 2>log; then
	skip "$name" "$(head -1 log)"
else
	check "$name" 0 \
		'ulimit -v 1000000; prof-record -q --heap=64K -o l.pb.gz ./crowd
		 prof-record -q --heap=64K -o m.pb.gz sh -c "ulimit -v 800000; ./crowd"
		 for p in l m; do
			prof-text -q --sample-index=alloc_space --unit=MB $p.pb.gz |
				awk "/accounting/ { print (\$5 + 0 > 4) }"
		 done' <<'END'
0 failed
0 failed
1
1
END
fi
# More stacks than the table has room for, faster than ten readings a second
# empty the log: five of six were lost. A recorder that gets no processor for a
# while loses some.
cat >burst.c <<'END'
#include <stdlib.h>
int main(void)
{
	for (int i = 0; i < 600000; i++) free(malloc(1 + (size_t)i % 30000));
	return 0;
}
END
if ${CC:-cc} -O0 -o burst burst.c 2>log; then
	check 'a burst of allocations by many stacks' 0 '
		prof-record -q --heap=1 -o b.pb.gz ./burst
		stacks b.pb.gz | sed -n "s/.* ticks=\([0-9]*\) .* lost=\([0-9]*\) .*/\1 \2/p" |
			awk "{ print (\$1 >= 600000 && \$2 < \$1 / 2 ? \"taken\" : \$0) }"' <<'END'
taken
END
else
	skip 'a burst of allocations by many stacks' 'no C compiler'
fi
plan
