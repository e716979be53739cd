# deep.t - stacks longer than the limit of a profile, and threads with a very
# small stack.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

deep=$bin/tests/deep

# judge NAME LOW HIGH CUTS: the frames of the longest stack are as many; CUTS of them
# are "[truncated]", in the middle; and the stack begins at the root.
judge() {
	stacks "$1.pb.gz" | awk -v low="$2" -v high="$3" -v cuts="$4" '
		/^#/ { next }
		{
			n = cut = 0
			for (i = 2; i <= NF && $i !~ /=/; i++)
				if (++n && $i == "[truncated]")
					cut += n > 400 && n < 600 ? 1 : 100
			if (n > most) {
				most = n
				found = cut
				root = $(n + 1)
			}
		}
		END {
			printf "%d frames, %d cut, root %s\n", most, found, root
			exit !(most >= low && most <= high && found == cuts &&
				root ~ /^deep\+/)
		}'
}

# calls N LOW HIGH CUTS OPTION...
calls() {
	calls_n=$1
	calls_low=$2
	calls_high=$3
	calls_cuts=$4
	shift 4
	prof-record -q "$@" -o calls.pb.gz "$deep" "$calls_n" "$row_way" || return 2
	judge calls "$calls_low" "$calls_high" "$calls_cuts"
}

# row NAME WAY OPTION...: the same of a stack that is kept whole, and of one that
# is not. The outermost frame is _start, in the program.
row() {
	row_name=$1 row_way=$2
	shift 2
	live "$row_name: 900 calls" calls 900 900 920 0 "$@"
	live "... and both ends of 1500" calls 1500 1010 1024 1 "$@"
}

row 'CPU clock' run -F 200
row 'perf clock' run -F 200 --clock=perf
unfiltered row 'wall clock' sleep -F 200 --clock=wall
row 'heap' heap --heap=1
row 'growth of the heap' heap --growth=1
row 'locks' lock --lock=1
if prof-record -q --sampler=perf --kernel=no -o try.pb.gz true >log 2>&1 &&
	[ "$(uname -m)" = x86_64 ]; then
	row 'the kernel as the sampler' run --sampler=perf --kernel=no -F 200 \
		--stack-size=65528
else
	skip 'the kernel as the sampler' "$(head -1 log)"
fi

# So long that it is not walked to the end.
given_up() {
	prof-record -q -F 200 -o end.pb.gz "$deep" 20000 run || return 2
	stacks end.pb.gz | awk '
		/truncated=[1-9]/ { said++ }
		/^[0-9]/ && NF > 500 && $NF == "[truncated]" { n++ }
		END { print n + 0, "stacks end so"; exit !(n && said) }'
}
live 'a walk that is given up ends with the gap' given_up

check 'names are there without symbols, and stay' 0 '
	prof-record -q -F 200 -o n.pb.gz "'"$deep"'" 1500 run
	prof-text -q --nodecount=0 n.pb.gz | grep -c "\[truncated\]"
	{ prof-symbolize -q n.pb.gz || cat n.pb.gz; } 2>/dev/null |
		prof-text -q --nodecount=0 - | grep -c "\[truncated\]"' <<'END'
1
1
END

# The handler, with the frame that the kernel makes, has to fit.
for options in '-F 10000 --clock=wall' '-F 1000'; do
	check "threads with stacks of 16 KiB: $options" 0 \
		"prof-record -q $options -o s.pb.gz '$deep' small" <<'END'
alive
END
done

# Ruby begins so: a frame to the end of the stack, with room for little more than a signal.
cat >end.c <<'END'
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>
int main(void)
{
	pthread_attr_t a;
	void *lo;
	size_t n;
	volatile uint64_t k;
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &lo, &n);
	volatile char *low = alloca((size_t)((char *)__builtin_frame_address(0) - (char *)lo - getauxval(51) - 2000));
	low[0] = 0;
	while (clock() < end)
		for (k = 0; k < 100000; k++)
			;
	puts("ended");
	return 0;
}
END
if ${CC:-cc} -o end end.c 2>/dev/null; then
	lost='[1-9]'
	[ "$(uname -m)" != x86_64 ] || lost='0 '
	export lost
	check 'at the end of its stack a program is walked on ours, else it is said' 0 \
		'prof-record -q -F 200 -o end.pb.gz ./end && prof-text --comments end.pb.gz |
			grep -c " ticks=[1-9].* lost=$lost"' <<'END'
ended
1
END
else
	skip 'at the end of its stack a program is walked on ours' 'no compiler'
fi

# Room for the frame of a signal, and for a handler that does little.
cat >small.c <<'END'
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
static ucontext_t caller, small;
static void body(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	volatile int k;
	while (clock() < end)
		for (k = 0; k < 100000; k++)
			;
}
int main(void)
{
	size_t size = (getauxval(51) + 1024 + 15) & -16;
	char *m = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(m, 16384, PROT_NONE);
	getcontext(&small);
	small.uc_stack.ss_sp = m + 16384;
	small.uc_stack.ss_size = size;
	small.uc_link = &caller;
	makecontext(&small, body, 0);
	swapcontext(&caller, &small);
	puts("ended");
	return 0;
}
END
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -o small small.c 2>/dev/null && ./small >out; then
	check 'a coroutine with a stack that is enough for signals' 0 \
		'prof-record -q -F 1000 -o small.pb.gz ./small &&
			stacks small.pb.gz | grep -c -m1 "^[1-9]"' <<'END'
ended
1
END
else
	skip 'a coroutine with a stack that is enough for signals' 'another machine'
fi

plan
