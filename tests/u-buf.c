/*
 * u-buf - slices, buffers with a limit, arenas
 */
#include <stdint.h>
#include <stdlib.h>

#include "common/buf.h"
#include "tests/tap.h"

static void
test_slices(void)
{
	ok(slice_eq(SLICE("ab"), slice_of("abc", 2)), "equal by bytes");
	ok(!slice_eq(SLICE("ab"), SLICE("ac")), "not equal");
	ok(!slice_eq(SLICE("ab"), SLICE("a")), "lengths count");
	ok(slice_eq(SLICE_NONE, SLICE("")), "nothing equals empty");
	ok(slice_is(SLICE("x"), "x") && !slice_is(SLICE("x"), "xy"), "slice_is");
	ok(slice_is(SLICE_NONE, ""), "nothing is empty text");
	is_int(slice_str(NULL).len, 0, "a NULL string is nothing");
	ok(slice_starts(SLICE("abc"), "ab") && slice_starts(SLICE("abc"), ""),
	    "starts with");
	ok(!slice_starts(SLICE("a"), "ab"), "a shorter one does not");
	ok(!slice_eq(SLICE("a\0b"), SLICE("a\0c")), "NUL bytes are bytes");
}

static void
test_order(void)
{
	ok(slice_cmp(SLICE("a"), SLICE("b")) < 0, "a before b");
	ok(slice_cmp(SLICE("b"), SLICE("a")) > 0, "b after a");
	ok(slice_cmp(SLICE("a"), SLICE("ab")) < 0, "shorter first on a tie");
	ok(slice_cmp(SLICE("ab"), SLICE("a")) > 0, "longer last");
	ok(slice_cmp(SLICE_NONE, SLICE("a")) < 0, "nothing comes first");
	is_int(slice_cmp(SLICE_NONE, SLICE("")), 0, "nothing and empty tie");
	ok(slice_cmp(SLICE("\x7f"), SLICE("\x80")) < 0, "bytes are unsigned");
}

static void
test_adding(void)
{
	struct buf b;
	int i;

	buf_init(&b, 100000);
	is(buf_cstr(&b), "", "an empty buffer reads as empty text");
	is_int(buf_slice(&b).len, 0, "and as an empty slice");
	is_int(buf_add(&b, NULL, 0), 0, "adding nothing is fine");
	is_int(buf_adds(&b, "one"), 0, "adds");
	is_int(buf_addc(&b, ' '), 0, "a character");
	is_int(buf_addslice(&b, SLICE("two")), 0, "a slice");
	is_int(buf_addf(&b, " %d %s", 3, "four"), 0, "formatted");
	is(buf_cstr(&b), "one two 3 four", "all of it, in order");
	for (i = 0; i < 10000; i++)
		buf_addc(&b, 'x');
	is_int(b.len, 14 + 10000, "it grows");
	is_int(strlen(b.ptr), b.len, "and always ends in NUL");
	buf_clear(&b);
	is(buf_cstr(&b), "", "cleared");
	ok(b.cap >= 10000, "keeps its memory");
	buf_release(&b);
	ok(b.ptr == NULL && b.limit == 100000, "released, with its limit");
	is_int(buf_adds(&b, "again"), 0, "and can be used again");
	buf_release(&b);
}

static void
test_limit(void)
{
	struct buf b;

	buf_init(&b, 5);
	is_int(buf_adds(&b, "12345"), 0, "up to the limit");
	is_int(buf_addc(&b, '6'), -1, "not past it");
	is(buf_cstr(&b), "12345", "what was there stays");
	ok(b.over, "and it is said");
	buf_clear(&b);
	ok(!b.over, "a cleared one starts anew");
	is_int(buf_adds(&b, "1234567"), -1, "an addition is whole or none");
	is_int(b.len, 0, "none of it");
	is_int(buf_addc(&b, '1'), -1, "after that nothing more goes in");
	is_int(buf_addf(&b, "%d", 1), -1, "formatted neither");
	ok(buf_room(&b, 0) == NULL, "nor is there room");
	buf_clear(&b);
	is_int(buf_addf(&b, "%s", "123456"), -1, "formatted past the limit");
	buf_clear(&b);
	ok(buf_room(&b, SIZE_MAX) == NULL, "an absurd length does not wrap");
	buf_release(&b);
	buf_init(&b, 0);
	is_int(buf_addc(&b, 'x'), -1, "a limit of none");
	is_int(buf_add(&b, "", 0), 0 - b.over, "holds nothing at most");
	buf_release(&b);
	buf_init(&b, SIZE_MAX / 4);
	buf_adds(&b, "x");
	ok(buf_room(&b, SIZE_MAX - 1) == NULL, "nor does one near the end");
	buf_release(&b);
}

static void
test_arena(void)
{
	struct arena a;
	struct slice s, copy;
	unsigned char *p;
	char *c;
	size_t i, n, total;
	bool good = true;

	arena_init(&a);
	for (i = 0; i < 3000; i++) {
		n = i % 77;
		p = arena_alloc(&a, n);
		good = good && (uintptr_t)p % _Alignof(max_align_t) == 0;
		while (n-- > 0) {
			good = good && p[n] == 0;
			p[n] = 0xaa;
		}
	}
	ok(good, "memory is zeroed, aligned and nobody else's");
	arena_reset(&a);
	p = arena_alloc(&a, 64);
	for (good = true, i = 0; i < 64; i++)
		good = good && p[i] == 0;
	ok(good, "zeroed also where it is used again");
	ok(arena_alloc(&a, 0) != arena_alloc(&a, 0), "nothing has a place too");
	s = SLICE("a\0b");
	copy = arena_dup(&a, s);
	ok(slice_eq(s, copy) && copy.ptr != s.ptr, "a copy of its own");
	ok(copy.ptr[copy.len] == '\0', "with a NUL behind it");
	copy = arena_dup(&a, SLICE_NONE);
	ok(copy.len == 0 && copy.ptr != NULL, "a copy of nothing");
	c = arena_cstr(&a, slice_of("abcdef", 3));
	is(c, "abc", "as a C string");
	copy = arena_printf(&a, "%s-%d", "n", 12);
	ok(slice_is(copy, "n-12"), "formatted");
	p = arena_alloc(&a, 3 << 20);
	memset(p, 1, 3 << 20);
	total = a.total;
	arena_reset(&a);
	ok(a.total < total && a.total < 2 << 20,
	    "a huge block is not kept for ever");
	arena_reset(&a);
	arena_release(&a);
	is_int(a.total, 0, "released");
	arena_release(&a);
}

static void
test_digits(void)
{
	uint64_t n;

	is_int(slice_digits(SLICE("t12.3"), 1, &n), 2, "two digits");
	is_int(n, 12, "are twelve");
	is_int(slice_digits(slice_of("12345", 2), 0, &n), 2,
	    "not past the end");
	is_int(n, 12, "of the slice");
	is_int(slice_digits(SLICE("x"), 0, &n), 0, "a letter is no digit");
	is_int(slice_digits(SLICE("7"), 1, &n), 0, "nor is the end");
	is_int(slice_digits(SLICE("999999999999999999"), 0, &n), 18,
	    "eighteen are the most");
	is_int(slice_digits(SLICE("1234567890123456789"), 0, &n), 0,
	    "nineteen are none");
}

int
main(void)
{
	test_digits();
	test_slices();
	test_order();
	test_adding();
	test_limit();
	test_arena();
	return done();
}
