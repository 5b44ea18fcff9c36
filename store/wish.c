/*
 * wish - what a text asks of the one it is said to
 */
#include "store/wish.h"

#include <stddef.h>

static int
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c;
}

static bool
is_word(char c)
{
	return lower(c) >= 'a' ? lower(c) <= 'z' || (unsigned char)c >= 0x80 :
				 c >= '0' && c <= '9';
}

/*
 * Whether a small-letter phrase stands at `at`, up to the end of a word; its
 * spaces stand for any white space.  Where it ends, or 0.
 */
static size_t
phrase_at(struct slice s, size_t at, const char *phrase)
{
	for (; *phrase != '\0'; phrase++) {
		if (at >= s.len)
			return 0;
		if (*phrase == ' ') {
			if (s.ptr[at] != ' ' && s.ptr[at] != '\n')
				return 0;
			at++;
		} else if (lower(s.ptr[at++]) != *phrase)
			return 0;
	}
	return at < s.len && is_word(s.ptr[at]) ? 0 : at;
}

static size_t
any_at(struct slice s, size_t at, const char *const *phrases)
{
	size_t end = 0;

	for (; *phrases != NULL && end == 0; phrases++)
		end = phrase_at(s, at, *phrases);
	return end;
}

/* Behind the white space at `at`. */
static size_t
skip(struct slice s, size_t at)
{
	while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\n' ||
	    s.ptr[at] == '\t' || s.ptr[at] == ','))
		at++;
	return at;
}

static bool
is_sentence_start(struct slice s, size_t at)
{
	while (at > 0 && (s.ptr[at - 1] == ' ' || s.ptr[at - 1] == '\t'))
		at--;
	return at == 0 || s.ptr[at - 1] == '.' || s.ptr[at - 1] == '!' ||
	    s.ptr[at - 1] == '?' || s.ptr[at - 1] == '\n';
}

static bool
is_standing(struct slice s, size_t at)
{
	static const char *const begins[] = { "always", "never",
		"from now on", "whenever i", "in future", "in the future",
		NULL };
	static const char *const anywhere[] = { "when i ask",
		"whenever i ask", NULL };
	size_t polite;

	if (any_at(s, at, anywhere) > 0)
		return true;
	if (!is_sentence_start(s, at))
		return false;
	polite = phrase_at(s, at, "please");
	return any_at(s, polite > 0 ? skip(s, polite) : at, begins) > 0;
}

static bool
is_preference(struct slice s, size_t at)
{
	static const char *const who[] = { "i would", "i'd", "i", NULL };
	static const char *const how[] = { "really", "generally", "usually",
		"always", "strongly", NULL };
	size_t end, more;

	if (phrase_at(s, at, "my preference") > 0)
		return true;
	end = any_at(s, at, who);
	if (end == 0)
		return false;
	end = skip(s, end);
	more = any_at(s, end, how);
	return phrase_at(s, more > 0 ? skip(s, more) : end, "prefer") > 0;
}

unsigned
wish_of(struct slice text)
{
	unsigned found = 0;
	size_t at;
	int c;

	for (at = 0; at < text.len; at++) {
		if (at > 0 && is_word(text.ptr[at - 1]))
			continue;
		c = lower(text.ptr[at]);
		if ((c == 'a' || c == 'n' || c == 'f' || c == 'w' ||
			c == 'i' || c == 'p') && is_standing(text, at))
			found |= WISH_STANDING;
		if ((c == 'i' || c == 'm') && is_preference(text, at))
			found |= WISH_PREFER;
	}
	return found;
}

bool
wish_asks_back(struct slice text)
{
	static const char *const you[] = { "you have", "you've", "you",
		NULL };
	static const char *const said[] = { "recommended", "suggested",
		"said", "told", "explained", "gave", "given", "advised",
		"proposed", "described", "provided", "mentioned", "showed",
		"shown", NULL };
	static const char *const yours[] = { "did you", "your advice",
		"your recommendation", "your recommendations",
		"your suggestion", "your suggestions", "your answer",
		"your answers", "your explanation", "your explanations",
		NULL };
	size_t at, end;

	for (at = 0; at < text.len; at++) {
		if (at > 0 && is_word(text.ptr[at - 1]))
			continue;
		if (any_at(text, at, yours) > 0)
			return true;
		end = any_at(text, at, you);
		if (end > 0 && any_at(text, skip(text, end), said) > 0)
			return true;
	}
	return false;
}
