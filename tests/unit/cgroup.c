/* cgroup.c - the container in the path of a control group. */
#include "config.h"

#include <string.h>

#include "record/perf/cgroup.h"
#include "tests/unit/unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
test_container(void **state)
{
	static const struct {
		const char *path, *id; /* NULL: in none */
	} row[] = {
		{ "/docker/" ID, "0123456789ab" },
		{ "/system.slice/docker-" ID ".scope", "0123456789ab" },
		{ "/system.slice/docker-" ID ".scope/init.scope",
		  "0123456789ab" },
		{ "/kubepods/burstable/pod1-2/" ID, "0123456789ab" },
		{ "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID
		  ".scope",
		  "0123456789ab" },
		{ "/kubepods.slice/crio-" ID ".scope", "0123456789ab" },
		{ "/kubepods-pod1.slice:cri-containerd:" ID, "0123456789ab" },
		{ "/machine.slice/libpod-" ID ".scope/container",
		  "0123456789ab" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", NULL },
		{ "/../../docker/" ID, "0123456789ab" },
		{ "/lxc/web/init.scope", "web" },
		{ "/lxc.payload/web/system.slice/ssh.service", "web" },
		{ "/lxc.payload.web-1/init.scope", "web-1" },
		{ "/machine.slice/machine-my\\x2dbox.scope/payload", "my-box" },
		{ "/machine.slice/systemd-nspawn@deb.service/payload", "deb" },
		{ "/", NULL },
		{ "", NULL },
		{ "/user.slice/user-1000.slice/session-2.scope", NULL },
		{ "/docker/" ID "0", NULL },
		{ "/docker/x" ID, NULL },
		{ "/lxc.payload.", NULL },
		{ "/machine-\\x00.scope", NULL },
		{ "//", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char id[CGROUP_ID] = "";

		if (cgroup_container(row[i].path, id))
			assert_string_equal(id, row[i].id ? row[i].id : "none");
		else if (row[i].id)
			fail_msg("%s: no container", row[i].path);
	}
}

static void
test_long(void **state)
{
	char path[CGROUP_PATH], text[2 * CGROUP_PATH], id[CGROUP_ID];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "0::/", 4);
	strcpy(text + sizeof(text) - 100, "/docker/" ID "\n");
	cgroup_parse(text, path);
	assert_int_equal(strlen(path), CGROUP_PATH - 1);
	assert_true(cgroup_container(path, id));
	memset(text, 'a', sizeof(text));
	memcpy(text, "/machine-", 9);
	text[sizeof(text) - 1] = '\0';
	assert_true(cgroup_container(text, id));
	assert_int_equal(strlen(id), CGROUP_ID - 1);
}

static void
test_parse(void **state)
{
	static const struct {
		const char *text, *path;
	} row[] = {
		{ "0::/a/b\n", "/a/b" },
		{ "2:cpu:/\n1:memory:/m\n0::/\n", "/m" },
		{ "2:cpu:/c\n1:memory:/m\n0::/u\n", "/u" },
		{ "1:name=systemd:/a:b\n", "/a:b" },
		{ "0::/\n", "/" },
		{ "", "/" },
		{ "x\n:\n::\n", "/" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char path[CGROUP_PATH];

		cgroup_parse(row[i].text, path);
		assert_string_equal(path, row[i].path);
	}
}

UNIT_TESTS(cmocka_unit_test(test_container), cmocka_unit_test(test_long),
	   cmocka_unit_test(test_parse))
