/*
 * silent stack|lock|code|exe SECONDS - a process that nobody can look into: a
 * file system of its own, in a mount namespace of its own, never answers a
 * process that reads the file there. stack: the stack of a thread that waits is
 * that file. lock: a thread waits for the file with the lock of the process's
 * mappings. Prints the server's pid when that is so, and computes. The server's
 * end ends the waits, after so many seconds at the latest: until then ps(1)
 * waits, too. code: the file is this program, and what computes is mapped from
 * it; the first two other processes that read or close it are answered, and no
 * later one. exe: the file is this program, which a child runs for two seconds;
 * only the child is answered.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 20, FILE_ID = 2, PIECE = 1 << 17, N_OTHER = 2 };

static const char place[] = "/mnt";
static const char path[] = "/mnt/file";

/* Of code and exe: the processes that are answered, and this program. */
static atomic_int *answered;
static int other[N_OTHER]; /* of the server */
static int self = -1;
static off_t size = SIZE;

/* --- the file system --- */

static void
answer(int fd, const struct fuse_in_header *in, const void *data, size_t n)
{
	static char out[sizeof(struct fuse_out_header) + PIECE];
	struct fuse_out_header head = { (uint32_t)(sizeof(head) + n), 0,
					in->unique };

	memcpy(out, &head, sizeof(head));
	if (n)
		memcpy(out + sizeof(head), data, n);
	if (write(fd, out, head.len) < 0)
		perror("answer");
}

static struct fuse_attr
attr_of(uint64_t id)
{
	return (struct fuse_attr){
		.ino = id,
		.size = (uint64_t)size,
		.blocks = (uint64_t)size / 512 + 1,
		.mode = id == FILE_ID ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

/* Is that process answered? The first two others may be. */
static bool
is_answered(int pid)
{
	if (self < 0)
		return false;
	if (pid == atomic_load(answered))
		return true;
	for (size_t i = 0; i < N_OTHER; i++) {
		if (!other[i])
			other[i] = pid;
		if (other[i] == pid)
			return true;
	}
	return false;
}

static void
serve_read(int fd, const struct fuse_in_header *in)
{
	const struct fuse_read_in *what = (const void *)(in + 1);
	static char bytes[PIECE];
	ssize_t n = pread(self, bytes, what->size < PIECE ? what->size : PIECE,
			  (off_t)what->offset);

	answer(fd, in, bytes, n > 0 ? (size_t)n : 0);
}

static void
serve_one(int fd, const struct fuse_in_header *in)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
					    .minor = FUSE_KERNEL_MINOR_VERSION,
					    .max_write = 4096 };
	const struct fuse_attr_out attr = { 3600, 0, 0, attr_of(in->nodeid) };
	const struct fuse_entry_out entry = {
		FILE_ID, 0, 3600, 3600, 0, 0, attr_of(FILE_ID)
	};
	/* Then mmap() waits for what is being read, with the lock; and each
	 * read() is one of ours. */
	const struct fuse_open_out open = { .fh = 1,
					    .open_flags = FOPEN_DIRECT_IO };

	const struct fuse_statfs_out stat = { { .bsize = 4096 } };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		answer(fd, in, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		answer(fd, in, &entry, sizeof(entry));
		break;
	case FUSE_OPEN:
		answer(fd, in, &open, sizeof(open));
		break;
	case FUSE_READ:
		if (is_answered((int)in->pid))
			serve_read(fd, in);
		break;
	case FUSE_FLUSH: /* close() */
		if (is_answered((int)in->pid))
			answer(fd, in, NULL, 0);
		break;
	case FUSE_STATFS:
		answer(fd, in, &stat, sizeof(stat));
		break;
	}
}

static int
mount_silent(unsigned seconds, bool outlives)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t server;

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("silent", place, "fuse", MS_NOSUID, options) != 0)
		return -1;
	server = fork();
	if (server == 0) {
		static union {
			struct fuse_in_header head;
			char bytes[1 << 17];
		} in;

		if (!outlives)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(seconds);
		while (read(fd, in.bytes, sizeof(in)) > 0)
			serve_one(fd, &in.head);
		_exit(0);
	}
	close(fd);
	return server;
}

/* --- the process --- */

static char *map;

/* Wait without a look at the stack. */
static void *
wait_on_it(void *ctx)
{
	char *top = map + SIZE / 2;

	(void)ctx;
#if defined __x86_64__
	__asm__ volatile("mov %0, %%rsp\n1:\tmov $34, %%eax\n\tsyscall\n"
			 "\tjmp 1b"
			 :
			 : "r"(top));
#elif defined __aarch64__
	__asm__ volatile("mov sp, %0\n1:\tmov x0, 0\n\tmov x1, 0\n"
			 "\tmov x2, 0\n\tmov x3, 0\n\tmov x8, 73\n\tsvc 0\n"
			 "\tb 1b"
			 :
			 : "r"(top));
#endif
	return top;
}

static void *
read_it(void *ctx)
{
	(void)ctx;
	return *(volatile char *)map ? map : NULL;
}

static void *
map_it(void *fd)
{
	return mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, *(int *)fd, 0);
}

/* Without libc's buffers, also those of sanitizers: no memory can be mapped. */
static void
tell(int server)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", server);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/* Without calls: it runs where the file is mapped, too. */
static _Noreturn void
compute(void)
{
	for (volatile unsigned n = 0;; n++)
		;
}

static int
run_mapped(int fd, int server)
{
	const uintptr_t page = 4096, at = (uintptr_t)compute;
	unsigned long start, limit, offset;
	char row[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(row, sizeof(row), maps))
		if (sscanf(row, "%lx-%lx r-xp %lx", &start, &limit, &offset) ==
			    3 &&
		    at >= start && at < limit)
			break;
	map = mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
		   (off_t)(offset + ((at - start) & ~(page - 1))));
	if (!maps || map == MAP_FAILED) {
		perror(path);
		return 1;
	}
	tell(server);
	((void (*)(void))(map + at % page))();
	return 1;
}

/* A child that runs the file. */
static int
run_file(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		atomic_store(answered, getpid());
		execl(path, path, "compute", (char *)NULL);
		_exit(1);
	}
	return pid < 0 || waitpid(pid, NULL, 0) < 0;
}

/* Set up what code and exe need. */
static bool
show_self(bool to_others)
{
	answered = mmap(NULL, sizeof(*answered), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (answered == MAP_FAILED || self < 0)
		return false;
	atomic_store(answered, getpid());
	for (size_t i = 0; !to_others && i < N_OTHER; i++)
		other[i] = -1;
	size = lseek(self, 0, SEEK_END);
	return size > 0;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const bool is_lock = !strcmp(how, "lock"),
		   is_code = !strcmp(how, "code"), is_exe = !strcmp(how, "exe");
	const unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	volatile unsigned n;
	pthread_t thread;
	int server, fd;

	alarm(seconds);
	if (!strcmp(how, "compute")) {
		alarm(2);
		compute();
	}
	if ((is_code || is_exe) && !show_self(is_code))
		return 1;
	server = mount_silent(seconds, is_exe);
	if (server < 0) {
		perror("silent: no file system of our own");
		return 77;
	}
	if (is_exe) {
		tell(server);
		return run_file();
	}
	fd = open(path, O_RDONLY);
	if (is_code)
		return run_mapped(fd, server);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		perror(path);
		return 1;
	}
	pthread_create(&thread, NULL, is_lock ? read_it : wait_on_it, NULL);
	usleep(200000);
	if (is_lock)
		pthread_create(&thread, NULL, map_it, &fd);
	usleep(200000);
	tell(server);
	for (;;) {
		for (n = 0; n < 3000000;)
			n++;
		usleep(10000);
	}
}
