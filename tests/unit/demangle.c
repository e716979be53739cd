/* demangle.c - names for people: the table of pprof, and bombs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/model/profile.h"
#include "symbols/names/demangle.h"
#include "tests/fuzz/limit.h"

/* NULL: the name is not mangled. */
struct row {
	const char *mangled;
	const char *shown[3]; /* default, templates, full */
};

/* A name that was mangled otherwise before GCC 5. */
#define OLD_SCOPE                                                              \
	"_ZN4llvm10checkedMulIlEENSt9enable_ifIXsr3std9is_signedIT_EE5value"   \
	"ENS_8OptionalIS2_EEE4typeES2_S2_"

#define D_STRING "immutable(char)[]"
#define D_STRINGS                                                              \
	D_STRING ", " D_STRING ", " D_STRING ", " D_STRING ", " D_STRING       \
		 ", " D_STRING ", " D_STRING

#define ALL(s)                                                                 \
	{                                                                      \
		s, s, s                                                        \
	}

static const struct row rows[] = {
	{ "_ZN3foo3barIiEEvi",
	  { "foo::bar", "foo::bar<int>", "void foo::bar<int>(int)" } },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  { "std::vector::push_back",
	    "std::vector<int, std::allocator<int> >::push_back",
	    "std::vector<int, std::allocator<int> >::push_back(int "
	    "const&)" } },
	/* As gcc's debugging information has some names. */
	{ "sort<int*, main(int)::<lambda(A<1>, B)> >", { "sort" } },
	{ "operator()<int>", { "operator()" } },
	{ "operator< <int>", { "operator<" } },
	{ "operator-><int>", { "operator->" } },
	{ "operator->", ALL(NULL) },
	{ "operator<=>", ALL(NULL) },
	{ "<init>", ALL(NULL) },
	{ "Foo<int>::bar", ALL(NULL) },
	{ "f<a", ALL(NULL) },
	{ "f<a>>", ALL(NULL) },
	{ "f<(>", ALL(NULL) },
	{ "block in <main>", ALL(NULL) },
	/* Go's functions in assembly. */
	{ "runtime.memmove.abi0", ALL("runtime.memmove") },
	{ "x.com/y%2ez.f.abi0", ALL("x.com/y%2ez.f") },
	{ "memmove.abi0", ALL(NULL) },
	{ ".abi0", ALL(NULL) },
	{ "runtime.abi0x", ALL(NULL) },
	{ "_ZNK3foo3barEv", { "foo::bar", "foo::bar", "foo::bar() const" } },
	{ "_ZN3foo3barEi.constprop.0",
	  { "foo::bar", "foo::bar", "foo::bar(int)" } },
	{ "_ZN3foo3barEi.cold", { "foo::bar", "foo::bar", "foo::bar(int)" } },
	{ "_ZN3foo3barEi.isra.0.part.1",
	  { "foo::bar", "foo::bar", "foo::bar(int)" } },
	{ "_ZN3foo3barEi@plt",
	  { "foo::bar@plt", "foo::bar@plt", "foo::bar(int)@plt" } },
	{ "_ZZN3foo3barEiENKUlvE_clEv",
	  { "foo::bar()::{lambda()#1}::operator()",
	    "foo::bar()::{lambda()#1}::operator()",
	    "foo::bar(int)::{lambda()#1}::operator()() const" } },
	{ "_ZN12_GLOBAL__N_13fooEv",
	  { "(anonymous namespace)::foo", "(anonymous namespace)::foo",
	    "(anonymous namespace)::foo()" } },
	{ "_ZN3fooltEi",
	  { "foo::operator<", "foo::operator<", "foo::operator<(int)" } },
	{ "_ZN3foolsIiEERS_T_",
	  { "foo::operator<<", "foo::operator<< <int>",
	    "foo& foo::operator<< <int>(int)" } },
	{ "_ZN3fooptEv",
	  { "foo::operator->", "foo::operator->", "foo::operator->()" } },
	{ "_ZN3foogtIcEEbT_",
	  { "foo::operator>", "foo::operator><char>",
	    "bool foo::operator><char>(char)" } },
	{ "_ZN3foo7xoperatIiE3barEv",
	  { "foo::xoperat::bar", "foo::xoperat<int>::bar",
	    "foo::xoperat<int>::bar()" } },
	{ "_Znam",
	  { "operator new[]", "operator new[]",
	    "operator new[](unsigned long)" } },
	{ "_ZN1AcvSt6vectorIiSaIiEEEv",
	  { "A::operator std::vector",
	    "A::operator std::vector<int, std::allocator<int> >",
	    "A::operator std::vector<int, std::allocator<int> >()" } },
	{ "_GLOBAL__I__Z3foov", ALL("global constructors keyed to foo()") },
	{ "_GLOBAL__sub_I_main", ALL(NULL) },
	{ "__Z3fooi", { "foo", "foo", "foo(int)" } },
	{ "___Z3fooi_block_invoke_2",
	  { "invocation function for block in foo",
	    "invocation function for block in foo",
	    "invocation function for block in foo(int)" } },
	{ "_RINvNtC3std3mem8align_ofjdE",
	  { "std::mem::align_of::<>", "std::mem::align_of::<usize, f64>",
	    "std::mem::align_of::<usize, f64>" } },
	{ "_ZN4core6option15Option$LT$T$GT$3map17h0123456789abcdefE",
	  ALL("core::option::Option<T>::map") },
	{ "_ZN4core3ptr4drop17h0123456789abcdefE.llvm.4521",
	  ALL("core::ptr::drop") },
	{ "_ZN27_$LT$Foo$u20$as$u20$Bar$GT$3baz17h0123456789abcdefE",
	  ALL("<Foo as Bar>::baz") },
	/* One for each rule of Rust's grammar. */
	{ "_RNCNvC1a4mains_0", ALL("a::main::{closure#1}") },
	{ "_RNSNvC1a1f6vtableB6_", ALL(NULL) },
	{ "_RNSNvC1a1f6vtable", ALL("a::f::{shim:vtable#0}") },
	{ "_RNvMs_C1aNtB4_1S1f", ALL("<a::S>::f") },
	{ "_RNvXC1aNtB2_1SNtC1b1T1f", ALL("<a::S as b::T>::f") },
	{ "_RNvYNtC1a1SNtC1b1T1f", ALL("<a::S as b::T>::f") },
	{ "_RNvC6_123foo3bar", ALL("123foo::bar") },
	{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	  ALL("utf8_idents::\341\203\241\341\203\220\341\203\255\341"
	      "\203\233\341\203\224\341\203\232\341\203\220\341\203"
	      "\223_\341\203\222\341\203\224\341\203\233\341\203\240"
	      "\341\203\230\341\203\224\341\203\232\341\203\230_"
	      "\341\203\241\341\203\220\341\203\223\341\203\230\341"
	      "\203\232\341\203\230") },
	{ "_RINvC1a1fRL_hQhPhOhShAhj10_ThETEThtEE",
	  { "a::f::<>",
	    "a::f::<&u8, &mut u8, *const u8, *mut u8, [u8], [u8; 16], (u8,), "
	    "(), (u8, u16)>",
	    "a::f::<&u8, &mut u8, *const u8, *mut u8, [u8], [u8; 16], (u8,), "
	    "(), (u8, u16)>" } },
	{ "_RINvC1a1fKj7b_Kin7b_Kb1_Kc41_Kp"
	  "Ko123456789abcdef0123456789abcdef_KB8_E",
	  { "a::f::<>",
	    "a::f::<123, -123, true, 'A', _, "
	    "0x123456789abcdef0123456789abcdef, 123>",
	    "a::f::<123, -123, true, 'A', _, "
	    "0x123456789abcdef0123456789abcdef, 123>" } },
	{ "_RINvC1a1fFG_UKCRL0_hEuFK9rust_callEzE",
	  { "a::f::<>",
	    "a::f::<for<'a> unsafe extern \"C\" fn(&'a u8), "
	    "extern \"rust-call\" fn() -> !>",
	    "a::f::<for<'a> unsafe extern \"C\" fn(&'a u8), "
	    "extern \"rust-call\" fn() -> !>" } },
	{ "_RINvC1a1fDG_INtC1b1TRL0_hEp4ItemtNtBd_4SendEL_E",
	  { "a::f::<>",
	    "a::f::<dyn for<'a> b::T<&'a u8, Item = u16> + b::Send>",
	    "a::f::<dyn for<'a> b::T<&'a u8, Item = u16> + b::Send>" } },
	{ "_RNvC1a1f.llvm.123", ALL("a::f") },
	{ "_RNvC1a1fC1b", ALL("a::f") },
	{ "_R0NvC1a1f", ALL(NULL) },
	{ "_RNvC1a1fE", ALL(NULL) },
	{ "_RINvC1a1fKc110000_E", ALL(NULL) },
	{ OLD_SCOPE,
	  { "llvm::checkedMul", "llvm::checkedMul<long>",
	    "std::enable_if<std::is_signed<long>::value, "
	    "llvm::Optional<long> >::type llvm::checkedMul<long>(long, "
	    "long)" } },
	/* D, which pprof does not know. */
	{ "_Dmain", ALL("D main") },
	{ "_D8demangle4testFaZv",
	  { "demangle.test", "demangle.test", "demangle.test(char)" } },
	{ "_D8demangle9__T4testZv",
	  { "demangle.test", "demangle.test!()", "demangle.test!()" } },
	{ "_D3std6format__T14formattedWriteTSQBg5array__T8AppenderTAyaZQoTaTmZQ"
	  "ByFNaNfKQBrIAaxmZk",
	  { "std.format.formattedWrite.form",
	    "std.format.formattedWrite!(std.array.Appender!(immutable(char)[])"
	    ".Appender, char, ulong).form",
	    "std.format.formattedWrite!(std.array.Appender!(immutable(char)[])"
	    ".Appender, char, ulong).form(ref std.array.Appender!(immutable("
	    "char)[]).Appender, in char[], const(ulong))" } },
	{ "_D2rt6dmain212_d_run_main2UAAamPUQgZiZ6runAllMFZv",
	  { "rt.dmain2._d_run_main2.runAll", "rt.dmain2._d_run_main2.runAll",
	    "rt.dmain2._d_run_main2(char[][], ulong, extern(C) int(char[][]) "
	    "function).runAll()" } },
	{ "_D6object9Throwable8toStringMxFMDFIAaZvZv",
	  { "object.Throwable.toString", "object.Throwable.toString",
	    "object.Throwable.toString(scope void(in char[]) delegate) "
	    "const" } },
	{ "_D3std8typecons__T5TupleTAyaTQeTQhTQkTQnTQqTQtZQBd8__xopCmpMxFKxSQCl"
	  "QCk__TQCeTQCbTQCfTQCjTQCnTQCrTQCvTQCzZQDkZi",
	  { "std.typecons.Tuple.Tuple.__xopCmp",
	    "std.typecons.Tuple!(" D_STRINGS ").Tuple.__xopCmp",
	    "std.typecons.Tuple!(" D_STRINGS ").Tuple.__xopCmp(ref const("
	    "std.typecons.Tuple!(" D_STRINGS ").Tuple)) const" } },
	{ "_DYNAMIC", ALL(NULL) },
	{ "_D1DQ", ALL(NULL) },
	/* Not mangled: not touched. pprof cuts at brackets. */
	{ "void foo::bar<int>(int)", ALL(NULL) },
	{ "foo::operator()(int)", ALL(NULL) },
	{ "foo::(anonymous namespace)::bar(int)", ALL(NULL) },
	{ "operator<(int)", ALL(NULL) },
	{ "main.(*T).M", ALL(NULL) },
	{ "main.f[go.shape.int_0]", ALL(NULL) },
	{ "List.<init>", ALL(NULL) },
	{ "main", ALL(NULL) },
	{ "", ALL(NULL) },
	{ "_", ALL(NULL) },
	{ "_Z", ALL(NULL) },
	{ "_R", ALL(NULL) },
	{ "_ZN", ALL(NULL) },
	{ "___Z_block_invoke", ALL(NULL) },
	{ "_GLOBAL_", ALL(NULL) },
	{ "_GLOBAL__I_", ALL(NULL) },
};

static void
test_table(void **state)
{
	char *able = demangle_name("_Z1fv", DEMANGLE_DEFAULT);

	(void)state;
	if (!able)
		skip(); /* built without libiberty */
	free(able);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int mode = 0; mode < 3; mode++) {
			const char *want = rows[i].shown[mode];
			char *have = demangle_name(rows[i].mangled,
						   (enum demangle_mode)mode);

			if (want ? !have || strcmp(have, want) : have != NULL)
				fail_msg("%s, mode %d: '%s', wanted '%s'",
					 rows[i].mangled, mode,
					 have ? have : "(unchanged)",
					 want ? want : "(unchanged)");
			free(have);
		}
		assert_null(demangle_name(rows[i].mangled, DEMANGLE_NONE));
	}
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
	assert_null(demangle_name(name, DEMANGLE_FULL));

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_silent_bombs),
		cmocka_unit_test(test_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
