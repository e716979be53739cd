/*
 * silent stack|lock SECONDS - a process that nobody can look into: a file
 * system of its own, in a mount namespace of its own, never answers who reads
 * the file there. stack: the stack of a thread that waits is that file. lock: a
 * thread waits for the file with the lock of the process's mappings. Prints
 * the server's pid when that is so, and computes. The server's end ends the
 * waits, after so many seconds at the latest: until then whoever runs ps(1)
 * waits, too.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 1 << 20, FILE_ID = 2 };

static const char place[] = "/mnt";
static const char path[] = "/mnt/file";

/* --- the file system --- */

static void
answer(int fd, const struct fuse_in_header *in, const void *data, size_t n)
{
	char out[1024];
	struct fuse_out_header head = { (uint32_t)(sizeof(head) + n), 0,
					in->unique };

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), data, n);
	if (write(fd, out, head.len) < 0)
		perror("answer");
}

static struct fuse_attr
attr_of(uint64_t id)
{
	return (struct fuse_attr){
		.ino = id,
		.size = SIZE,
		.blocks = SIZE / 512,
		.mode = id == FILE_ID ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
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
	/* Then mmap() waits for what is being read, with the lock. */
	const struct fuse_open_out open = { .fh = 1,
					    .open_flags = FOPEN_DIRECT_IO };

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
	}
}

static int
mount_silent(unsigned seconds)
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

int
main(int argc, char **argv)
{
	const bool is_lock = argc > 1 && !strcmp(argv[1], "lock");
	const unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	int server = mount_silent(seconds), fd;
	volatile unsigned n = 0;
	char text[16];
	pthread_t thread;

	if (server < 0) {
		perror("silent: no file system of our own");
		return 77;
	}
	fd = open(path, O_RDONLY);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		perror(path);
		return 1;
	}
	snprintf(text, sizeof(text), "%d\n", server);
	pthread_create(&thread, NULL, is_lock ? read_it : wait_on_it, NULL);
	usleep(200000);
	if (is_lock)
		pthread_create(&thread, NULL, map_it, &fd);
	usleep(200000);
	alarm(seconds);
	/* Without libc's buffers, also those of sanitizers: no memory can be
	 * mapped. */
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		return 1;
	for (;;) {
		for (n = 0; n < 3000000;)
			n++;
		usleep(10000);
	}
}
