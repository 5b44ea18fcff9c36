/*
 * token_fold - letters as the search index knows them
 */
#include "store/token_fold.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "common/text.h"

enum { MARKED_BYTES = 128 };	/* longer ones keep their marks */

/* Latin, Greek, Cyrillic, Hebrew, Arabic: elsewhere marks are letters. */
static bool
has_loose_marks(int32_t first)
{
	return first < 0x700 || (first >= 0x750 && first < 0x780) ||
	    (first >= 0x8a0 && first < 0x900) ||
	    (first >= 0x1e00 && first < 0x2000);
}

/* The letter that is written for it as well; 0: it is left out. */
static int32_t
plain_letter(int32_t cp)
{
	switch (cp) {
	case 0x0131:		/* dotless i */
		return 'i';
	case 0x00f8:		/* o with a stroke, and others so */
		return 'o';
	case 0x0142:
		return 'l';
	case 0x0111:
		return 'd';
	case 0x0127:
		return 'h';
	case 0x0640:		/* tatweel only stretches a word */
		return 0;
	case 0x0649:		/* alef maksura: yeh */
		return 0x064a;
	case 0x0629:		/* teh marbuta: heh */
		return 0x0647;
	default:
		return cp;
	}
}

/* None of them takes more bytes than what it stands for. */
static struct slice
plain_letters(struct arena *a, struct slice s)
{
	char *out = arena_cstr(a, s);
	size_t pos = 0, len = 0;
	int32_t cp;

	while (text_next(s, &pos, &cp)) {
		cp = plain_letter(cp);
		if (cp != 0)
			len += (size_t)utf8proc_encode_char(cp,
			    (utf8proc_uint8_t *)out + len);
	}
	return slice_of(out, len);
}

struct slice
token_fold(struct arena *a, struct slice s)
{
	static const utf8proc_option_t strip = UTF8PROC_STABLE |
	    UTF8PROC_COMPOSE | UTF8PROC_STRIPMARK;
	struct slice folded = text_fold(a, s);
	utf8proc_uint8_t *plain = NULL;
	utf8proc_ssize_t len;
	int32_t first = 0;
	size_t pos = 0;

	if (text_is_ascii(folded) || !text_next(folded, &pos, &first) ||
	    !has_loose_marks(first) || folded.len > MARKED_BYTES)
		return folded;
	len = utf8proc_map((const utf8proc_uint8_t *)folded.ptr,
	    (utf8proc_ssize_t)folded.len, &plain, strip);
	if (len > 0)
		folded = plain_letters(a, slice_of((const char *)plain,
		    (size_t)len));
	free(plain);
	return folded;
}

bool
token_is_hangul(int32_t cp)
{
	return cp >= 0xac00 && cp <= 0xd7a3;
}

bool
token_is_paired(int32_t cp)
{
	return token_is_hangul(cp) || text_class(cp) == TEXT_UNSPACED;
}

bool
token_is_lone(struct slice term)
{
	size_t pos = 0;
	int32_t cp;

	if (!text_next(term, &pos, &cp) || !token_is_paired(cp))
		return false;
	while (text_next(term, &pos, &cp))
		if (text_class(cp) != TEXT_MARK)
			return false;
	return true;
}
