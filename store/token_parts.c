/*
 * token_parts - what compounds are made of
 */
#include "store/token_parts.h"

#include "common/text.h"

enum kind { KIND_SIGN, KIND_UPPER, KIND_LOWER, KIND_DIGIT };

static enum kind
kind_of(int32_t cp)
{
	switch (text_class(cp)) {
	case TEXT_LETTER:
	case TEXT_UNSPACED:
	case TEXT_MARK:
		return text_is_upper(cp) ? KIND_UPPER : KIND_LOWER;
	case TEXT_DIGIT:
		return KIND_DIGIT;
	default:
		return KIND_SIGN;
	}
}

bool
token_next_piece(struct slice s, size_t *at, struct slice *piece)
{
	size_t pos = *at, before = pos, start = pos;
	bool inside = false;
	int32_t cp;

	for (; text_next(s, &pos, &cp); before = pos) {
		if (kind_of(cp) != KIND_SIGN) {
			start = inside ? start : before;
			inside = true;
		} else if (inside) {
			break;
		}
	}
	*at = before;
	*piece = slice_of(s.ptr + start, before - start);
	return inside;
}

/*
 * To digits after letters or letters after digits, to a capital after a small
 * letter, and before the last capital of several that a small letter follows
 * (HTTPServer: HTTP, Server).
 */
bool
token_next_part(struct slice piece, size_t *at, struct slice *part)
{
	size_t start = *at, pos = start, before = start, one_back = start;
	enum kind last = KIND_SIGN, now;
	bool capitals = true;
	int32_t cp;

	for (; text_next(piece, &pos, &cp); one_back = before, before = pos) {
		now = kind_of(cp);
		if (before == start) {
			last = now;
			capitals = now == KIND_UPPER;
			continue;
		}
		if ((now == KIND_DIGIT) != (last == KIND_DIGIT) ||
		    (now == KIND_UPPER && last == KIND_LOWER))
			break;
		if (now == KIND_LOWER && last == KIND_UPPER && capitals &&
		    one_back > start) {
			before = one_back;
			break;
		}
		capitals = capitals && now == KIND_UPPER;
		last = now;
	}
	*at = before;
	*part = slice_of(piece.ptr + start, before - start);
	return before > start;
}

struct slice
token_version_base(struct slice folded, struct slice *behind)
{
	struct slice s = folded;
	size_t len = 0;

	if (s.len > 1 && s.ptr[0] == 'v')
		s = slice_of(s.ptr + 1, s.len - 1);
	while (len < s.len && strchr("0123456789.", s.ptr[len]) != NULL)
		len++;
	while (len > 0 && s.ptr[len - 1] == '.')
		len--;
	/* "2" of v2.x tells nothing. */
	if (memchr(s.ptr, '.', len) == NULL)
		len = s.len;
	*behind = slice_of(s.ptr + len, s.len - len);
	return slice_of(s.ptr, len);
}

struct slice
token_main_part(struct slice word)
{
	struct slice longest = slice_of(word.ptr, 0);
	size_t at = 0, end;

	for (; at < word.len; at = end + 1) {
		for (end = at; end < word.len && word.ptr[end] != '\''; end++)
			;
		if (end - at > longest.len)
			longest = slice_of(word.ptr + at, end - at);
	}
	return longest;
}

struct slice
token_without_possessive(struct slice s)
{
	if (s.len > 2 && s.ptr[s.len - 2] == '\'' && s.ptr[s.len - 1] == 's')
		s.len -= 2;
	else if (s.len > 1 && s.ptr[s.len - 1] == '\'')
		s.len -= 1;
	return s;
}
