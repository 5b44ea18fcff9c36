/*
 * text_impl - what the files of text share and nobody else needs
 *
 * text.c has UTF-8, classes and folding, text_lists.c the words that are known
 * by heart, text_shape.c what bytes alone tell of a string, text_run.c what a
 * run with signs in it is, text_tokens.c the iterator.  The inner loops are
 * inline here, because each of those files runs them over every character.
 */
#ifndef COMMON_TEXT_IMPL_H
#define COMMON_TEXT_IMPL_H

#include "common/text.h"

/* next_char and class_of beyond ASCII. */
bool text_next_wide(struct slice s, size_t *pos, int32_t *cp);
enum text_class text_wide_class(int32_t cp);

/* What text_next does, for loops. */
static inline bool
next_char(struct slice s, size_t *pos, int32_t *cp)
{
	if (*pos >= s.len)
		return false;
	*cp = (unsigned char)s.ptr[*pos];
	if (*cp >= 0x80)
		return text_next_wide(s, pos, cp);
	++*pos;
	return true;
}

static inline bool
ascii_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
ascii_letter(int c)
{
	return (c >= 'a' && c <= 'z') || ascii_upper(c);
}

static inline bool
ascii_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_alnum(int c)
{
	return ascii_letter(c) || ascii_digit(c);
}

/* What text_class does, for loops. */
static inline enum text_class
class_of(int32_t cp)
{
	static const unsigned char classes[0x80] = {
		[0 ... ' '] = TEXT_SPACE, [0x7f] = TEXT_SPACE,
		['!' ... '/'] = TEXT_SIGN, ['0' ... '9'] = TEXT_DIGIT,
		[':' ... '@'] = TEXT_SIGN, ['A' ... 'Z'] = TEXT_LETTER,
		['[' ... '`'] = TEXT_SIGN, ['a' ... 'z'] = TEXT_LETTER,
		['{' ... '~'] = TEXT_SIGN,
	};

	if (cp >= 0x80)
		return text_wide_class(cp);
	return cp < 0 ? TEXT_SPACE : classes[cp];
}

static inline bool
is_apostrophe(int32_t cp)
{
	return cp == '\'' || cp == 0x2019 || cp == 0x02bc;
}

static inline struct slice
sub(struct slice s, size_t from, size_t to)
{
	return slice_of(s.ptr + from, to - from);
}

/* The byte at i, or 0 outside: saves every caller the check. */
static inline int
byte_at(struct slice s, size_t i)
{
	return i < s.len ? (unsigned char)s.ptr[i] : 0;
}

static inline size_t
digits_len(struct slice s, size_t at)
{
	size_t i = at;

	while (ascii_digit(byte_at(s, i)))
		i++;
	return i - at;
}

/* text_lists: is it one of these, whatever the case of its letters? */
bool text_is_unit(struct slice s);
bool text_is_extension(struct slice s);
bool text_is_domain_end(struct slice s);
bool text_is_errno(struct slice s);
bool text_is_code_prefix(struct slice s);

/*
 * text_shape.  text_find_last: where c stands last in s, or s.len;
 * text_last_part: what is behind it, or all of s.
 */
size_t text_find_last(struct slice s, char c);
struct slice text_last_part(struct slice s, char separator);
bool text_is_when(struct slice s);
bool text_is_version(struct slice s);
bool text_is_ip_address(struct slice s);
bool text_is_hyphen_code(struct slice s);
bool text_is_error_code(struct slice s);
bool text_is_abbreviation(struct slice s);
bool text_is_flag(struct slice s);
bool text_is_hex(struct slice s, unsigned digits);
bool text_has_extension(struct slice s);

/* What a run of word characters and joining signs holds, counted once. */
struct text_run {
	size_t end;
	unsigned letters, digits, humps, wide;
	unsigned slashes, backslashes, dots, underscores, ats, colons;
	unsigned hyphens, apostrophes, others;
	bool joined;		/* a sign stands inside, so it may be compound */
};

struct text_run text_run_measure(struct slice s, size_t at);
size_t text_run_trim(struct slice s, size_t at, size_t end);
/*
 * The kind of a compound run, or TEXT_PUNCT when it is none.  `called`: "()"
 * stands behind it.
 */
enum text_kind text_run_kind(struct slice s, const struct text_run *run,
    bool called);

#endif
