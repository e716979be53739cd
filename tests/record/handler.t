# handler.t - signal safety by construction: the objects with code of signal
# handlers refer only to each other and to a few functions that are safe there,
# and the library is bound when it is loaded.
. "${srcdir:-.}/tests/lib/tap.sh"

lib=$bin/.libs/libsample.so

# What compilers call on their own, and is pure.
pure='_GLOBAL_OFFSET_TABLE_ bcmp memcmp memcpy memmove memset strlen'

# $1: an object of libsample/; the rest: names it may need, besides those of the others.
needs_only() {
	name=$1
	shift
	printf '%s\n' $pure "$@" | sort -u >may
	object=$bin/libsample/$name
	object=${object%/*}/.libs/la-${object##*/}.o
	if nm --undefined-only "$object" >need 2>more &&
		awk '{ print $2 }' need | sort -u | comm -23 - may >more &&
		[ ! -s more ]; then
		ok "$name needs nothing that is unsafe in a signal handler"
	else
		not_ok "$name needs nothing that is unsafe in a signal handler" \
			<more
	fi
}

# The same for the companions, which run inside malloc and lock functions.
companion_needs_only() {
	printf '%s\n' $pure "$@" | sort -u >may
	if nm --undefined-only "$bin/libsample/.libs/$1.o" >need 2>more &&
		awk '{ print $2 }' need | sort -u | comm -23 - may >more &&
		[ ! -s more ]; then
		ok "$1 needs nothing that is unsafe inside malloc"
	else
		not_ok "$1 needs nothing that is unsafe inside malloc" <more
	fi
}

if have nm readelf; then
	# syscall only sets errno, which is kept.
	needs_only handler segments_update __errno_location interp_begin interp_end signals_restore signals_restore_fork clock_cpu clock_gettime clock_stop clock_ticks \
		program_invocation_short_name syscall table_add table_tell unwind_walk
	# clock_getres() is like clock_gettime(); thread_seed() calls only that.
	needs_only clock clock_getres clock_gettime filter_allows sampler sampler_count sampler_mark \
		syscall thread_seed
	needs_only table
	# The first tick lists what the program was started with: dl_iterate_phdr() and
	# what is of module.c and the loader comes later. readlink, nanosleep, mremap and
	# mmap are system calls.
	needs_only segment filter_allows getpagesize interp_forget interp_look module_note \
		mremap nanosleep readlink sampler sampler_new_space strcmp strncmp strncpy \
		strrchr table_tell unwind_each unwind_forget unwind_image_id unwind_image_init \
		unwind_map unwind_note_end unwind_refresh
	needs_only unwind/table getauxval munmap nanosleep unwind_cfi_compile unwind_each \
		unwind_entry_hdr unwind_free_retired unwind_free_tables unwind_image_id \
		unwind_image_init unwind_initial_find unwind_initial_free unwind_initial_has \
		unwind_map unwind_publish unwind_refresher unwind_row_root unwind_state \
		unwind_unshelve
	needs_only unwind/initial dl_iterate_phdr munmap strcmp strrchr unwind_map unwind_state
	needs_only unwind/image
	needs_only unwind/pool memmem mremap unwind_map unwind_row_pack unwind_row_rule
	needs_only unwind/cfi mmap munmap unwind_entry_cie unwind_entry_cie_of unwind_entry_fde \
		unwind_entry_hdr unwind_entry_open unwind_row_emit unwind_row_out unwind_row_run
	# Of pthread_cond_timedwait it takes the address.
	needs_only interp/object interp_php interp_python interp_ruby mmap \
		pthread_cond_timedwait strcmp
	# unwind_map only calls mmap.
	needs_only unwind/publish munmap unwind_map unwind_state
	needs_only unwind/unwind unwind_far_begin unwind_far_load unwind_find unwind_step_guess \
		unwind_step_regs unwind_step_regs_at unwind_step_rule
	needs_only unwind/find unwind_entry_cie unwind_entry_cie_of unwind_entry_fde \
		unwind_row_pack unwind_row_rule unwind_row_run
	needs_only unwind/entry unwind_row_run
	needs_only unwind/row unwind_expr_check
	needs_only unwind/step unwind_expr_eval unwind_far_load
	needs_only unwind/expr unwind_far_load unwind_reg
	needs_only unwind/far __errno_location filter_allows syscall
	# filter_try() is not for handlers.
	needs_only unwind/filter __errno_location syscall
	needs_only interp interp_peek interp_peek_begin interp_peek_codes \
		interp_peek_end interp_state sampler table_tell
	needs_only interp/peek unwind_own_read
	needs_only interp/php interp_peek interp_peek_codes
	needs_only interp/python interp_peek
	needs_only interp/ruby interp_peek interp_peek_codes
	needs_only hook __errno_location atomic_load module_note segments_update \
		environ program_invocation_short_name sampler sampler_join \
		sampler_space \
		label_number sampler_count sampler_walk table_add thread_self \
		unwind_stack_signal
	# getpid, madvise, mmap, sample_hook_begin: once.
	companion_needs_only heap_la-heap-sample clock_gettime getpagesize \
		getpid madvise mmap sample_hook_begin \
		sample_hook_count sample_hook_enter sample_hook_leave \
		sample_hook_levels sample_hook_state
	# dlsym and, for musl, dlerror: when the library is loaded. dladdr1 is only compared.
	companion_needs_only lock_la-lock __errno_location clock_gettime dladdr1 dlerror \
		dlsym pthread_testcancel sample_hook_count sample_hook_enter \
		sample_hook_leave sample_hook_state
	check 'no symbol is looked up late' 0 \
		"for l in '' -heap -lock; do
			readelf -d $bin/.libs/libsample\$l.so | grep -o BIND_NOW
		done" <<'END'
BIND_NOW
BIND_NOW
BIND_NOW
END
	# The headers of glibc 2.38 call them __isoc23_strtol and so on, which no
	# older libc has, nor musl.
	check 'nothing is needed that newer headers give another name' 0 \
		"! nm -D --undefined-only $bin/.libs/libsample*.so | grep -E 'strto|scanf'" </dev/null
	check 'nothing is exported but the interface and what wrap.c and exec.c name' 0 \
		"nm -D --defined-only $lib | awk '\$2 != \"A\" { print \$3 }' |
			sort" <<'END'
ProfilerDisable@@LIBSAMPLE_0
ProfilerEnable@@LIBSAMPLE_0
ProfilerFlush@@LIBSAMPLE_0
ProfilerGetCurrentState@@LIBSAMPLE_0
ProfilerRegisterThread@@LIBSAMPLE_0
ProfilerStart@@LIBSAMPLE_0
ProfilerStartWithOptions@@LIBSAMPLE_0
ProfilerStop@@LIBSAMPLE_0
ProfilingIsEnabledForAllThreads@@LIBSAMPLE_0
__register_atfork
__sysv_signal
bsd_signal
chroot
dlclose
dlmopen
dlopen
execl
execle
execlp
execv
execve
execveat
execvp
execvpe
fexecve
initgroups
prctl
pthread_create
pthread_sigmask
sample_flush@@LIBSAMPLE_0
sample_hook_begin@@LIBSAMPLE_PRIVATE
sample_hook_count@@LIBSAMPLE_PRIVATE
sample_hook_enter@@LIBSAMPLE_PRIVATE
sample_hook_leave@@LIBSAMPLE_PRIVATE
sample_hook_levels@@LIBSAMPLE_PRIVATE
sample_hook_note@@LIBSAMPLE_PRIVATE
sample_hook_state@@LIBSAMPLE_PRIVATE
sample_is_on@@LIBSAMPLE_0
sample_label@@LIBSAMPLE_0
sample_start@@LIBSAMPLE_0
sample_stop@@LIBSAMPLE_0
sample_thread@@LIBSAMPLE_0
setegid
seteuid
setgid
setgroups
setns
setregid
setresgid
setresuid
setreuid
setuid
sigaction
sighold
sigignore
siginterrupt
signal
sigprocmask
sigrelse
sigset
sigtimedwait
sigwait
sigwaitinfo
ssignal
sysv_signal
thrd_create
unshare
END
	name='and the symbols of the Debian package are these'
	debian=$data/../debian/libsample0.symbols
	if [ -e "$debian" ]; then
		check "$name" 0 "sed -n 's/^ \(.*\)@Base .*/\1/p' '$debian'" <<END
$(nm -D --defined-only $lib | awk '$2 != "A" && $3 !~ /@/ { print $3 }' | LC_ALL=C sort)
END
	else
		skip "$name" 'a tarball has no debian/'
	fi
	check 'a profile of CPU time has nothing in front of malloc or locks' 0 \
		"nm -D --defined-only $lib | grep -c -e alloc -e free -e mutex \
			-e _Zn -e _Zd -e cond -e rwlock -e sem_
		 prof-record -q -o x.pb.gz sh -c 'echo \$LD_PRELOAD' |
			sed 's,[^:]*/libsample,libsample,g'" <<'END'
0
libsample.so.0.0.0
END
else
	skip 'the handler' 'no binutils'
fi

# SIGKILL and SIGSTOP: not the signal by which libc cancels threads, either.
if [ "$(uname -m)" = x86_64 ]; then
	check 'no signal interrupts the handler' 0 \
		'prof-record -q -o x.pb.gz sigmask' <<'END'
9
19
END
else
	skip 'no signal interrupts the handler' 'sigmask is for x86_64'
fi

plan
