/* unit.h - cmocka, behind the headers that it needs and does not include, and
 * the main() of a file of tests. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Each is cmocka_unit_test(function). */
#define UNIT_TESTS(...)                                                        \
	int main(void)                                                         \
	{                                                                      \
		const struct CMUnitTest tests[] = { __VA_ARGS__ };             \
                                                                               \
		return cmocka_run_group_tests(tests, NULL, NULL);              \
	}

#endif
