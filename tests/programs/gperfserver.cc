/*
 * gperfserver.cc - a C++ program to be profiled over HTTP by gperftools, for
 * fetch-live.t: gperfserver FILE prints its port and works until its input
 * ends. What /pprof/profile answers with is also left in FILE, and is there
 * again as /saved/pprof/profile. The rest of a gperftools server are
 * /pprof/heap, /pprof/growth and /pprof/symbol.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <gperftools/malloc_extension.h>
#include <gperftools/profiler.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern "C" {
volatile uint64_t sink;

__attribute__((noinline)) void
spin_slow(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 6364136223846793005u + i;
}

__attribute__((noinline)) void
spin_fast(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink + i;
}

__attribute__((noinline)) void
work_some(void)
{
	spin_slow(30000);
	spin_fast(10000);
	sink = sink + 1;
}

__attribute__((noinline)) char *
keep_block(unsigned i)
{
	return (char *)malloc(100000 + i);
}
}

static std::string
saved(const char *file)
{
	std::ifstream in(file, std::ios::binary);

	return std::string(std::istreambuf_iterator<char>(in), {});
}

static std::string
profile(const char *file, const char *path)
{
	const char *seconds = strstr(path, "seconds=");

	ProfilerStart(file);
	sleep(seconds ? (unsigned)atoi(seconds + 8) : 30);
	ProfilerStop();
	return saved(file);
}

/* The names of addresses joined by '+'. */
static std::string
symbols(const char *question)
{
	std::string out;
	char line[4096];

	for (char *end; *question; question = *end == '+' ? end + 1 : "") {
		uintptr_t addr = strtoull(question, &end, 16);
		Dl_info info;

		if (!dladdr((void *)addr, &info) || !info.dli_sname)
			continue;
		snprintf(line, sizeof(line), "0x%lx\t%s\n",
			 (unsigned long)addr, info.dli_sname);
		out += line;
	}
	return out;
}

/* A request, with its body. */
static std::string
receive(int fd)
{
	std::string request;
	size_t head, want = 0;
	char part[4096];
	ssize_t n;

	while ((head = request.find("\r\n\r\n")) == std::string::npos ||
	       request.size() < head + 4 + want) {
		if ((n = read(fd, part, sizeof(part))) <= 0)
			return "";
		request.append(part, (size_t)n);
		const char *length = strcasestr(request.c_str(), "length: ");
		want = length ? (size_t)atol(length + 8) : 0;
	}
	return request;
}

static void
serve(int fd, const char *file)
{
	std::string text = receive(fd), body, status = "200 OK";
	const char *request = text.c_str();

	if (!strncmp(request, "GET /pprof/profile", 18))
		body = profile(file, request);
	else if (!strncmp(request, "GET /saved/pprof/profile", 24))
		body = saved(file);
	else if (!strncmp(request, "GET /pprof/symbol", 17) ||
		 !strncmp(request, "GET /saved/pprof/symbol", 23))
		body = "num_symbols: 1\n";
	else if (!strncmp(request, "POST /pprof/symbol", 18) ||
		 !strncmp(request, "POST /saved/pprof/symbol", 24))
		body = symbols(strstr(request, "\r\n\r\n") + 4);
	else if (!strncmp(request, "GET /pprof/heap", 15))
		MallocExtension::instance()->GetHeapSample(&body);
	else if (!strncmp(request, "GET /pprof/growth", 17))
		MallocExtension::instance()->GetHeapGrowthStacks(&body);
	else
		status = "404 Not Found";
	body = "HTTP/1.0 " + status + "\r\n\r\n" + body;
	if (write(fd, body.data(), body.size()) < 0)
		perror("write");
	close(fd);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in addr = {};
	socklen_t len = sizeof(addr);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	std::vector<char *> kept;

	addr.sin_family = AF_INET;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (argc != 2 || s < 0 ||
	    bind(s, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(s, 10) < 0 ||
	    getsockname(s, (struct sockaddr *)&addr, &len) < 0) {
		perror("gperfserver");
		return 2;
	}
	alarm(300);
	for (unsigned i = 0; i < 1000; i++)
		kept.push_back(keep_block(i));
	std::thread([=] {
		for (int fd; (fd = accept(s, nullptr, nullptr)) >= 0;)
			serve(fd, argv[1]);
	}).detach();
	std::thread([] {
		for (;;)
			work_some();
	}).detach();
	printf("%d\n", ntohs(addr.sin_port));
	fflush(stdout);
	while (getchar() != EOF)
		;
	_exit(kept.size() > 1 ? 0 : 1);
}
