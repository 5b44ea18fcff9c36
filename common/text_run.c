/*
 * text_run - what a run of word characters and joining signs is
 *
 * The run is measured once, and what was counted rules most kinds out before
 * any byte of it is looked at again.
 */
#include "common/text_impl.h"

static bool
is_joiner(int32_t cp)
{
	return cp == '_' || cp == '-' || cp == '.' || cp == '/' ||
	    cp == '\\' || cp == ':' || cp == '@' || cp == '+' || cp == '#' ||
	    cp == '~' || cp == '$' || is_apostrophe(cp);
}

static void
run_count_sign(struct text_run *run, int32_t cp)
{
	switch (cp) {
	case '/':
		run->slashes++;
		break;
	case '\\':
		run->backslashes++;
		break;
	case '.':
		run->dots++;
		break;
	case '_':
		run->underscores++;
		break;
	case '@':
		run->ats++;
		break;
	case ':':
		run->colons++;
		break;
	case '-':
		run->hyphens++;
		break;
	default:
		if (is_apostrophe(cp))
			run->apostrophes++;
		else
			run->others++;
	}
	if (!is_apostrophe(cp))
		run->joined = true;
}

struct text_run
text_run_measure(struct slice s, size_t at)
{
	struct text_run run = { .end = at };
	bool lower_before = false;
	size_t pos = at;
	int32_t cp;

	while (next_char(s, &pos, &cp)) {
		enum text_class class = class_of(cp);

		if (class == TEXT_LETTER)
			run.letters++;
		else if (class == TEXT_DIGIT)
			run.digits++;
		else if (class != TEXT_MARK && !is_joiner(cp))
			break;
		else if (class != TEXT_MARK)
			run_count_sign(&run, cp);
		run.wide += cp >= 0x80 && !is_apostrophe(cp);
		run.humps += lower_before && ascii_upper(cp);
		lower_before = cp >= 'a' && cp <= 'z';
		run.end = pos;
	}
	return run;
}

/* Sentence punctuation and closing signs at the end belong to the sentence. */
size_t
text_run_trim(struct slice s, size_t at, size_t end)
{
	while (end > at + 1) {
		int c = byte_at(s, end - 1);

		if (c == 0x99 && end > at + 3 &&
		    memcmp(s.ptr + end - 3, "\xe2\x80\x99", 3) == 0)
			end -= 3;
		else if (c == '.' || c == ':' || c == '-' || c == '\'' ||
		    c == '@' || c == '~' || c == '#' || c == '+')
			end--;
		else
			break;
	}
	return end;
}

static bool
is_email(struct slice s, const struct text_run *run)
{
	size_t at = text_find_last(s, '@'), dot = text_find_last(s, '.');

	return run->ats == 1 && at > 0 && ascii_alnum(s.ptr[0]) &&
	    run->slashes == 0 && run->colons == 0 && dot > at + 1 &&
	    dot + 2 < s.len && ascii_letter(s.ptr[dot + 1]);
}

/* "example.com", "docs.example.org/3/library" */
static bool
is_host(struct slice s, const struct text_run *run)
{
	const char *slash = memchr(s.ptr, '/', s.len);
	struct slice host = s, end;
	size_t dot;

	if (slash != NULL)
		host.len = (size_t)(slash - s.ptr);
	dot = text_find_last(host, '.');
	if (dot < 2 || dot >= host.len || run->underscores > 0 ||
	    run->ats > 0 || run->backslashes > 0 || run->wide > 0 ||
	    !ascii_alnum(byte_at(s, 0)))
		return false;
	end = sub(host, dot + 1, host.len);
	if (!text_is_domain_end(end))
		return false;
	/* "done.it works": a missing space is likelier than a short name. */
	if (end.len == 2 && slash == NULL && run->dots == 1 &&
	    !text_is_word(end, "io") && !text_is_word(end, "ai") &&
	    !text_is_word(end, "de") && !text_is_word(end, "ru") &&
	    !text_is_word(end, "cn") && !text_is_word(end, "uk"))
		return false;
	return !(ascii_upper(end.ptr[0]) && !ascii_upper(s.ptr[0]));
}

static bool
is_path(struct slice whole, const struct text_run *run)
{
	struct slice s = sub(whole, 0, text_path_len(whole));
	struct slice tail = text_last_part(s, '/');
	int first = byte_at(s, 0), second = byte_at(s, 1);

	if (run->letters == 0 && run->wide == 0)
		return false;
	if (run->backslashes > 0)
		return (ascii_letter(first) && second == ':') ||
		    run->backslashes >= 2;
	if (run->slashes == 0) {
		if (first == '.' && run->dots == 1 && s.len > 3 &&
		    ascii_letter(second))
			return true;	/* .bashrc */
		return run->ats == 0 && ascii_alnum(first) &&
		    memchr(s.ptr, ':', s.len) == NULL && text_has_extension(s);
	}
	if (memchr(s.ptr, ':', s.len) != NULL)
		return false;
	if (first == '/')
		return ascii_alnum(second) || second == '.' || second == '_';
	if (first == '~' || first == '.')
		return run->slashes > 0 && (second == '/' || second == '.' ||
		    ascii_alnum(second));
	if (first == '@')
		return true;		/* @scope/package */
	if (text_has_extension(tail) || run->underscores > 0)
		return true;
	/* "and/or", "he/she/it", "1/2": words, not a path. */
	return s.ptr[s.len - 1] == '/' || (run->slashes >= 2 &&
	    (run->dots > 0 || run->digits > 0 || run->hyphens > 0 ||
	    run->slashes >= 3)) ||
	    (run->dots > 0 && ascii_letter(byte_at(tail, 0)));
}

/* 550e8400-e29b-41d4-a716-446655440000 and other hyphened hex. */
static bool
is_uuid(struct slice s, const struct text_run *run)
{
	if (run->hyphens < 4 || run->digits < 4 || s.len < 32)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_digit(s.ptr[i]) && s.ptr[i] != '-' &&
		    !(s.ptr[i] >= 'a' && s.ptr[i] <= 'f') &&
		    !(s.ptr[i] >= 'A' && s.ptr[i] <= 'F'))
			return false;
	return true;
}

static bool
is_dotted_name(struct slice s, const struct text_run *run, bool called)
{
	/* "foo.bar" may be two sentences; more than that says it is a name. */
	return run->dots > 0 && run->letters > 0 && run->slashes == 0 &&
	    run->hyphens == 0 && run->apostrophes == 0 && run->others == 0 &&
	    (called || run->humps > 0 || run->dots >= 2) &&
	    ascii_letter(byte_at(s, 0)) &&
	    memmem(s.ptr, s.len, "..", 2) == NULL;
}

static bool
is_identifier(struct slice s, const struct text_run *run, bool called)
{
	int first = byte_at(s, 0), second = byte_at(s, 1);

	if (first == '$')
		return ascii_letter(second) || second == '_';
	if (first == '#')
		return ascii_alnum(second) && run->others == 1;
	if (text_is_flag(s) || is_uuid(s, run) || text_is_ip_address(s))
		return true;
	if (run->slashes > 0 || run->backslashes > 0 || run->ats > 0 ||
	    run->others > 0 || run->apostrophes > 0)
		return false;
	if (run->underscores > 0)
		return run->letters > 0;
	if (run->colons >= 2 && memmem(s.ptr, s.len, "::", 2) != NULL)
		return ascii_letter(first) && run->hyphens == 0;
	/* host:port */
	if (run->colons == 1 && run->hyphens == 0 && ascii_letter(first) &&
	    run->digits >= 2) {
		struct slice port = text_last_part(s, ':');

		return port.len >= 2 && digits_len(port, 0) == port.len;
	}
	return is_dotted_name(s, run, called);
}

enum text_kind
text_run_kind(struct slice s, const struct text_run *run, bool called)
{
	if (run->ats > 0 && is_email(s, run))
		return TEXT_EMAIL;
	if (run->ats == 1 && s.ptr[0] == '@' && run->slashes == 0)
		return s.len > 1 ? TEXT_MENTION : TEXT_PUNCT;
	if (run->digits > 0) {
		if (text_is_when(s))
			return TEXT_WHEN;
		if (text_is_ip_address(s))
			return TEXT_IDENTIFIER;
		if (text_is_version(s))
			return TEXT_VERSION;
		if (run->hyphens > 0 && text_is_hyphen_code(s))
			return TEXT_ERROR;
	}
	/* "R.R" and "d.h" before files called so; "x.h" is one. */
	if (run->dots > 0 && text_is_abbreviation(s) &&
	    (ascii_upper(s.ptr[0]) || text_is_word(s, "d.h")))
		return TEXT_WORD;
	if (run->dots > 0 && is_host(s, run))
		return TEXT_URL;
	if (is_path(s, run))
		return TEXT_PATH;
	if (run->underscores > 0 && (slice_starts(s, "ERR_") ||
	    slice_starts(s, "ERROR_")))
		return TEXT_ERROR;
	if (is_identifier(s, run, called))
		return TEXT_IDENTIFIER;
	if (run->dots > 0 && text_is_abbreviation(s))
		return TEXT_WORD;
	return TEXT_PUNCT;
}
