/* demangle.c - names for people: the table of pprof, and bombs. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "symbols/names/demangle.h"
#include "tests/fuzz/limit.h"
#include "tests/unit/unit.h"

/* The name in a line of demangle.tsv, and what it must become: NULL, itself. */
static void
check_line(char *line)
{
	const char *name = strsep(&line, "\t"), *want = NULL;

	for (int mode = 0; mode < 3; mode++) {
		char *have = demangle_name(name, (enum demangle_mode)mode);

		want = line ? strsep(&line, "\t") : want;
		if (want && !strcmp(want, "-"))
			want = NULL;
		if (want ? !have || strcmp(have, want) : have != NULL)
			fail_msg("%s, mode %d: '%s', wanted '%s'", name, mode,
				 have ? have : "(unchanged)",
				 want ? want : "(unchanged)");
		free(have);
	}
	assert_null(demangle_name(name, DEMANGLE_NONE));
}

static void
test_table(void **state)
{
	char *able = demangle_name("_Z1fv", DEMANGLE_DEFAULT), line[2000];
	const char *top = getenv("abs_srcdir");
	int n = 0;
	FILE *f;

	(void)state;
	if (!able)
		skip(); /* built without libiberty */
	free(able);
	snprintf(line, sizeof(line), "%s/tests/unit/demangle.tsv",
		 top ? top : ".");
	f = fopen(line, "r");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "# ", 2) != 0)
			check_line(line);
	}
	assert_true(n > 80);
	fclose(f);
}

/* Names that stand for more than memory, or for deeper calls than the stack. */
static void
test_bombs(void **state)
{
	char name[40000], *at = name;

	(void)state;
	/* Each argument is twice the one before. */
	at += sprintf(at, "_Z1f1AIiiE");
	for (int i = 0; i < 30; i++) {
		char seq[3] = { "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], 0 };

		at += sprintf(at, "S_IS%s_S%s_E", seq, seq);
	}
	for (int mode = 0; mode < 3; mode++)
		free(demangle_name(name, (enum demangle_mode)mode));

	/* Deeply nested. */
	strcpy(name, "_Z1f");
	memset(name + 4, 'P', sizeof(name) - 4);
	strcpy(name + sizeof(name) - 2, "i");
	free(demangle_name(name, DEMANGLE_FULL));
	strcpy(name + 16000, "i");
	free(demangle_name(name, DEMANGLE_FULL));

	/* Many templates by many references. */
	at = name + sprintf(name, "_Z1fIiEv");
	for (int i = 0; i < 1500; i++)
		at += sprintf(at, "RT_1AIiE");
	free(demangle_name(name, DEMANGLE_FULL));

	/* Rust: a path that refers back to itself twice, and so on. */
	at = name + sprintf(name, "_RIC1a");
	for (int i = 0; i < 2000; i++)
		at += sprintf(at, "TB5_B5_");
	strcpy(at, "E");
	free(demangle_name(name, DEMANGLE_FULL));

	/* 62^9 lifetimes, in a binder that is not printed, or is. */
	assert_null(demangle_name("_RNvC1a1bINvC1a1bFGzzzzzzzz_EuE",
				  DEMANGLE_FULL));
	assert_null(demangle_name("_RINvC1a1bFGzzzzzzzz_EuE", DEMANGLE_FULL));
	assert_null(demangle_name("_RINvC1a1bDGzzzzzzzz_EL_E", DEMANGLE_FULL));
	assert_null(
		demangle_name("_RNvMINvC1a1bFGzzzzzzzz_EuEu1f", DEMANGLE_FULL));

	/* Types that double with each reference, in a path that is hidden. */
	at = name + sprintf(name, "_RNvMINtC1a1bTuuE");
	for (int i = 0, back = 9, next; i < 40; i++, back = next) {
		char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char ref[4];
		int v = back - 1;

		next = (int)(at - name) - 2;
		if (v < 62)
			sprintf(ref, "%c", digits[v]);
		else
			sprintf(ref, "%c%c", digits[v / 62], digits[v % 62]);
		at += sprintf(at, "TB%s_B%s_E", ref, ref);
	}
	strcpy(at, "Eu1f");
	free(demangle_name(name, DEMANGLE_FULL));

	/* D: tuples of twice the one before. */
	at = name + sprintf(name, "_D1aFB2iiB2QgQi");
	for (int i = 0; i < 60; i++)
		at += sprintf(at, "B2QiQk");
	strcpy(at, "Zv");
	assert_null(demangle_name(name, DEMANGLE_FULL));
	memset(name + 5, 'A', sizeof(name) - 5);
	strcpy(name + sizeof(name) - 4, "iZv");
	assert_null(demangle_name(name, DEMANGLE_FULL));
	strcpy(name + 4090, "iZv");
	free(demangle_name(name, DEMANGLE_FULL));
}

/* The name made of head, n times each of front and back, and tail. */
static char *
nested(const char *head, const char *front, const char *back, size_t n,
       const char *tail)
{
	static char name[4096];
	char *at = name + sprintf(name, "%s", head);

	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s", front);
	at += sprintf(at, "i");
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s", back);
	strcpy(at, tail);
	return name;
}

/* Names of which each level doubles the time, and which print nothing. */
static void
test_silent_bombs(void **state)
{
	char *name, *at;

	(void)state;
	fuzz_limit(60);
	/* A pack is searched for in types that double with each reference. */
	name = malloc(200000);
	assert_non_null(name);
	at = name + sprintf(name, "_Z1fIDp1AI");
	for (int i = 1; i < 34; i++)
		at += sprintf(at, "S_I");
	at += sprintf(at, "iiE");
	for (int i = 0; i < 33; i++)
		at += sprintf(at, "S%c_E",
			      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	strcpy(at, "Evv");
	for (int mode = 0; mode < 3; mode++)
		assert_null(demangle_name(name, (enum demangle_mode)mode));
	/* Arguments of a parameter, or of what is converted. */
	assert_null(demangle_name(nested("_ZN1acv", "T_I", "E", 60, "Ev"),
				  DEMANGLE_DEFAULT));
	/* D: digits that are one length or two, and parameters that are not. */
	assert_null(demangle_name(nested("_D1b", "__T1aS99", "Z", 60, "i"),
				  DEMANGLE_DEFAULT));
	assert_null(demangle_name(nested("_D1aF", "S1aF", "", 60, ""),
				  DEMANGLE_DEFAULT));
	assert_null(demangle_name(nested("_D1b", "__T1aS00099", "Z", 12, "i"),
				  DEMANGLE_DEFAULT));
	/* Rust: references to a long list that has no levels. */
	at = name + sprintf(name, "_RNvMIC1aIC1a");
	for (int i = 0; i < 20000; i++)
		at += sprintf(at, "L_");
	at += sprintf(at, "E");
	for (int i = 0; i < 30000; i++)
		at += sprintf(at, "B6_");
	strcpy(at, "Eu1f");
	assert_null(demangle_name(name, DEMANGLE_DEFAULT));
	fuzz_limit(0);
	free(name);
}

/* Which functions of a profile get names. */
static void
test_profile(void **state)
{
	struct profile *p = profile_new();
	struct function f = { 0 };
	uint32_t mangled, other;
	struct prof_err err;
	enum prof_status st;

	(void)state;
	assert_non_null(p);
	mangled = profile_intern(p, "_Z1fv");
	other = profile_intern(p, "given");
	f.name = f.system_name = mangled;
	profile_add_function(p, &f);
	f.name = other;
	profile_add_function(p, &f);
	f.name = 0;
	profile_add_function(p, &f);
	f.name = other;
	f.system_name = 0;
	profile_add_function(p, &f);

	st = demangle_profile(p, DEMANGLE_DEFAULT, false, &err);
	if (st == PROF_ENOTSUP) {
		profile_free(p);
		skip();
	}
	assert_int_equal(st, PROF_OK);
	assert_string_equal(profile_str(p, p->function[0].name), "f");
	assert_string_equal(profile_str(p, p->function[1].name), "given");
	assert_string_equal(profile_str(p, p->function[2].name), "f");
	assert_string_equal(profile_str(p, p->function[3].name), "given");

	st = demangle_profile(p, DEMANGLE_FULL, true, &err);
	assert_int_equal(st, PROF_OK);
	assert_string_equal(profile_str(p, p->function[0].name), "f()");
	assert_string_equal(profile_str(p, p->function[1].name), "f()");
	assert_string_equal(profile_str(p, p->function[3].name), "given");

	st = demangle_profile(p, DEMANGLE_NONE, true, &err);
	assert_int_equal(st, PROF_OK);
	assert_int_equal(p->function[0].name, mangled);
	assert_int_equal(p->function[0].system_name, mangled);
	profile_free(p);
}

/* A profile with two functions in one mapping, and the second of them again in
 * another. */
static struct profile *
profile_of(const char *sign, const char *file, const char *name)
{
	struct profile *p = profile_new();
	struct function f = { 0 };

	assert_non_null(p);
	for (uint32_t i = 0; i < 3; i++) {
		const struct mapping m = { .start = i * 4096,
					   .limit = (i + 1) * 4096 };
		const struct location l = { .mapping = i / 2 };
		const struct line line = { .function = i };

		if (i % 2 == 0)
			profile_add_mapping(p, &m);
		f.name = f.system_name = profile_intern(p, i ? name : sign);
		f.file = i ? 0 : profile_intern(p, file);
		profile_add_function(p, &f);
		profile_add_location(p, &l, &line, 1);
	}
	return p;
}

/* Names that may be of C: in a file with the sign of a language, and in one
 * without. */
static void
test_languages(void **state)
{
	static const struct {
		const char *sign, *file, *name, *want, *full; /* NULL: itself */
		bool is_sure; /* no sign is needed */
	} rows[] = {
#define HASKELL "stg_ap_v_info", ""
		{ HASKELL, "Main_work_info", "Main.work", "Main.work", false },
		{ HASKELL, "Main_zdwzlzpzg_info", "Main.$w<+>", "Main.$w<+>",
		  false },
		{ HASKELL, "ZCMain_main_info", ":Main.main", ":Main.main",
		  true },
		{ HASKELL, "base_GHCziBase_map_info", "GHC.Base.map",
		  "base:GHC.Base.map", true },
		{ HASKELL,
		  "containerszm0zi6zi4zi1_DataziMapziInternal_balanceR_slow",
		  "Data.Map.Internal.balanceR",
		  "containers-0.6.4.1:Data.Map.Internal.balanceR", true },
		{ HASKELL, "ghczmprim_GHCziTuple_Z3T_con_info",
		  "GHC.Tuple.(,,)", "ghc-prim:GHC.Tuple.(,,)", true },
		{ HASKELL, "M_zlz2218UZZ_entry", "M.<\xe2\x88\x98Z",
		  "M.<\xe2\x88\x98Z", false },
		{ HASKELL, "base_GHCziBase_map_closure", NULL, NULL, false },
		{ HASKELL, "stg_SRT_13_info", NULL, NULL, false },
		{ HASKELL, "SSL_CIPHER_get_info", NULL, NULL, false },
		{ HASKELL, "Main_baz_info", NULL, NULL, false },
		{ HASKELL, "Main__info", NULL, NULL, false },
		{ HASKELL, "M_Z99999T_info", NULL, NULL, false },
		{ "GHC_main", "Main.hs", "Main_work_info", "Main.work",
		  "Main.work", false },
#define NIM "NimMain", ""
		{ NIM, "add__system_2308.part.0", "system.add", "system.add",
		  false },
		{ NIM, "addInt__stdZprivateZdigitsutils_164",
		  "std/private/digitsutils.addInt",
		  "std/private/digitsutils.addInt", false },
		{ NIM, "add__app_u12", "app.add", "app.add", false },
		{ NIM, "X5BX5Deq___n_101", "n.[]=", "n.[]=", false },
		{ NIM, "plusemark___n_5", "n.+!", "n.+!", false },
		{ NIM, "eqstart___n_5", "n.=start", "n.=start", false },
		{ NIM, "sizeeq___n_5", "n.size=", "n.size=", false },
		{ NIM, "colonanonymous___n_1366", "n.:anonymous",
		  "n.:anonymous", false },
		{ NIM, "newObjNoInit", NULL, NULL, false },
		{ NIM, "__do_global_12", NULL, NULL, false },
		{ NIM, "add__2", NULL, NULL, false },
		{ "f", "@mn.nim.c", "go__n_23", "n.go", "n.go", false },
#if HAVE_LIBIBERTY
#define ADA "ada__text_io__put", ""
		{ ADA, "_ada_app", "app", "app", true },
		{ ADA, "pack__child__Oadd", "pack.child.\"+\"",
		  "pack.child.\"+\"", false },
		{ ADA, "pack__child__twice__2", "pack.child.twice",
		  "pack.child.twice", false },
		{ ADA, "app__maps__finalize__4.18", "app.maps.finalize",
		  "app.maps.finalize", false },
		{ ADA, "app__runnerTKB.204", "app.runner", "app.runner",
		  false },
		{ ADA, "pack__child__p__setN", "pack.child.p.set",
		  "pack.child.p.set", false },
		{ ADA, "ada_main___elabb", "ada_main'Elab_Body",
		  "ada_main'Elab_Body", false },
		{ ADA, "adainit", NULL, NULL, false },
		{ ADA, "__libc_start_main", NULL, NULL, false },
		{ "main", "b~app.adb", "app__work.207", "app.work", "app.work",
		  false },
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *want[] = { rows[i].want, rows[i].full };

		for (int full = 0; full < 2; full++) {
			struct profile *p = profile_of(
				rows[i].sign, rows[i].file, rows[i].name);
			struct prof_err err;
			const char *have;

			(void)!demangle_profile(
				p, full ? DEMANGLE_FULL : DEMANGLE_DEFAULT,
				false, &err);
			have = profile_str(p, p->function[1].name);
			assert_string_equal(have, want[full] ? want[full]
							     : rows[i].name);
			have = profile_str(p, p->function[2].name);
			if (!rows[i].is_sure)
				assert_string_equal(have, rows[i].name);
			profile_free(p);
		}
	}
}

/* The others of a batch with bombs in it, and of the batches around it. */
static void
test_batch(void **state)
{
	enum { N = 5000 };
	struct profile *p = profile_new();
	char name[32];
	struct prof_err err;
	size_t late = demangle_n_late();
	enum prof_status st;

	(void)state;
	assert_non_null(p);
	for (int i = 0; i < N; i++) {
		struct function f = { 0 };

		snprintf(name, sizeof(name), "_ZN1a5f%04dEv", i);
		f.name = f.system_name = profile_intern(
			p, i % 2000 == 7 ? "_RNvC1a1bINvC1a1bFGzzzzzzzz_EuE"
					 : name);
		profile_add_function(p, &f);
	}
	st = demangle_profile(p, DEMANGLE_DEFAULT, false, &err);
	if (st == PROF_ENOTSUP) {
		profile_free(p);
		skip();
	}
	assert_int_equal(st, PROF_OK);
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "a::f%04d", i);
		assert_string_equal(profile_str(p, p->function[i].name),
				    i % 2000 == 7
					    ? "_RNvC1a1bINvC1a1bFGzzzzzzzz_EuE"
					    : name);
	}
	assert_int_equal(demangle_n_late() - late, 3);
	profile_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_languages),
		cmocka_unit_test(test_batch),
		/* The last ones: after too many of them it is enough. */
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_silent_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
