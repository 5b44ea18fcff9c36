/*
 * text - UTF-8, folding, tokens
 *
 * Tokens are found in two steps.  At the start of a run of word characters
 * and joining signs the run is measured once and looked at as a whole: an
 * address, a path, a date, an identifier.  If it is none of these, it is cut
 * into plain words, numbers and signs.
 */
#include "common/text.h"

#include <assert.h>
#include <endian.h>
#include <utf8proc.h>

bool
text_has_nul(struct slice s)
{
	return s.len > 0 && memchr(s.ptr, '\0', s.len) != NULL;
}

/* Length of the sequence at p, 0 if it is not valid. */
static size_t
sequence_len(const unsigned char *p, size_t left, int32_t *cp)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t need;
	int32_t c;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0) {
		need = 2;
		c = p[0] & 0x1f;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		need = 3;
		c = p[0] & 0x0f;
	} else if (p[0] >= 0xf0 && p[0] < 0xf5) {
		need = 4;
		c = p[0] & 0x07;
	} else {
		return 0;
	}
	if (left < need)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*cp = c;
	return need;
}

/* How many whole words of plain ASCII there are: most text is nothing else. */
static size_t
ascii_len(const unsigned char *p, size_t left)
{
	uint64_t eight;
	size_t n;

	for (n = 0; left - n >= sizeof(eight); n += sizeof(eight)) {
		memcpy(&eight, p + n, sizeof(eight));
		if ((eight & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	return n;
}

bool
text_valid_utf8(struct slice s, size_t *bad_at)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t pos = 0, len;
	int32_t cp;

	while (pos < s.len) {
		pos += ascii_len(p + pos, s.len - pos);
		if (pos == s.len)
			break;
		len = sequence_len(p + pos, s.len - pos, &cp);
		if (len == 0) {
			if (bad_at != NULL)
				*bad_at = pos;
			return false;
		}
		pos += len;
	}
	return true;
}

static bool
next_wide(struct slice s, size_t *pos, int32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t len = sequence_len(p + *pos, s.len - *pos, cp);

	if (len == 0) {
		*cp = TEXT_BAD;
		len = 1;
	}
	*pos += len;
	return true;
}

/* What text_next does, for the loops of this file. */
static inline bool
next_char(struct slice s, size_t *pos, int32_t *cp)
{
	if (*pos >= s.len)
		return false;
	*cp = (unsigned char)s.ptr[*pos];
	if (*cp >= 0x80)
		return next_wide(s, pos, cp);
	++*pos;
	return true;
}

bool
text_next(struct slice s, size_t *pos, int32_t *cp)
{
	return next_char(s, pos, cp);
}

size_t
text_cut(struct slice s, size_t len)
{
	size_t back;

	if (len >= s.len)
		return s.len;
	/* A sequence is at most four bytes: look no further back than that. */
	for (back = 0; back < 4 && back <= len; back++)
		if (((unsigned char)s.ptr[len - back] & 0xc0) != 0x80)
			return len - back;
	return len;
}

struct range {
	int32_t first;
	int32_t last;
};

static bool
in_ranges(int32_t cp, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cp <= ranges[i].last)
			return cp >= ranges[i].first;
	return false;
}

#define IN(cp, ranges) in_ranges(cp, ranges, sizeof(ranges) / sizeof(*ranges))

static bool
is_unspaced(int32_t cp)
{
	static const struct range ranges[] = {
		{ 0x0e00, 0x0eff },	/* Thai, Lao */
		{ 0x1000, 0x109f },	/* Myanmar */
		{ 0x1780, 0x17ff },	/* Khmer */
		{ 0x2e80, 0x2fdf },	/* radicals */
		{ 0x3005, 0x3007 },
		{ 0x3021, 0x3029 },
		{ 0x3031, 0x3035 },
		{ 0x3038, 0x309a },	/* Hiragana */
		{ 0x309d, 0x30fa },	/* Katakana */
		{ 0x30fc, 0x312f },	/* the long mark; Bopomofo */
		{ 0x31a0, 0x31bf },
		{ 0x31f0, 0x31ff },
		{ 0x3400, 0x4dbf },
		{ 0x4e00, 0x9fff },
		{ 0xf900, 0xfaff },
		{ 0xff66, 0xff9f },	/* half-width Katakana */
		{ 0x20000, 0x3ffff },
	};

	return cp >= 0x0e00 && IN(cp, ranges);
}

static bool
is_picture(int32_t cp)
{
	static const struct range ranges[] = {
		{ 0x231a, 0x231b },
		{ 0x23e9, 0x23f3 },
		{ 0x25fb, 0x25fe },
		{ 0x2600, 0x27bf },
		{ 0x2b05, 0x2b07 },
		{ 0x2b1b, 0x2b1c },
		{ 0x2b50, 0x2b55 },
		{ 0x1f000, 0x1f0ff },
		{ 0x1f18e, 0x1f19a },
		{ 0x1f1e6, 0x1f1ff },
		{ 0x1f200, 0x1fbff },
	};

	return cp >= 0x231a && IN(cp, ranges);
}

static enum text_class
wide_class(int32_t cp)
{
	if (is_picture(cp))
		return TEXT_PICTURE;
	switch (utf8proc_category(cp)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_NL:
		return is_unspaced(cp) ? TEXT_UNSPACED : TEXT_LETTER;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_CF:
		return TEXT_MARK;
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NO:
		return TEXT_DIGIT;
	case UTF8PROC_CATEGORY_ZS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_CC:
		return TEXT_SPACE;
	default:
		return TEXT_SIGN;
	}
}

static bool
ascii_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
ascii_letter(int c)
{
	return (c >= 'a' && c <= 'z') || ascii_upper(c);
}

static bool
ascii_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool
ascii_alnum(int c)
{
	return ascii_letter(c) || ascii_digit(c);
}

/* What text_class does, for the loops of this file. */
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
		return wide_class(cp);
	return cp < 0 ? TEXT_SPACE : classes[cp];
}

enum text_class
text_class(int32_t cp)
{
	return class_of(cp);
}

bool
text_is_upper(int32_t cp)
{
	if (cp < 0x80)
		return ascii_upper(cp);
	return utf8proc_category(cp) == UTF8PROC_CATEGORY_LU ||
	    utf8proc_category(cp) == UTF8PROC_CATEGORY_LT;
}

static bool
is_apostrophe(int32_t cp)
{
	return cp == '\'' || cp == 0x2019 || cp == 0x02bc;
}

static struct slice
fold_ascii(struct arena *a, struct slice s)
{
	size_t i = 0;
	char *out;

	while (i < s.len && !ascii_upper(s.ptr[i]))
		i++;
	if (i == s.len)
		return s;
	out = arena_cstr(a, s);
	for (; i < s.len; i++)
		if (ascii_upper(out[i]))
			out[i] += 'a' - 'A';
	return slice_of(out, s.len);
}

enum { FOLD_PIECE = 128, FOLD_GROWTH = 18 };

/*
 * Folds at most FOLD_PIECE bytes.  Putting combining marks in order is
 * quadratic in utf8proc, so no piece may be long.
 */
static size_t
fold_piece(struct slice s, char *out)
{
	int32_t points[FOLD_PIECE * FOLD_GROWTH + 1];
	utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPAT |
	    UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
	utf8proc_ssize_t count = 0, more, len;
	size_t pos = 0;
	int32_t cp;

	while (next_char(s, &pos, &cp)) {
		int last_class = 0;

		if (cp == 0x2018 || is_apostrophe(cp))
			cp = '\'';
		more = utf8proc_decompose_char(cp, points + count,
		    FOLD_GROWTH, options, &last_class);
		assert(more >= 0 && more <= FOLD_GROWTH);
		count += more;
	}
	for (utf8proc_ssize_t i = 1; i < count; i++) {
		utf8proc_ssize_t j = i;
		int32_t mark = points[i];
		int class = utf8proc_get_property(mark)->combining_class;

		while (class > 0 && j > 0 && utf8proc_get_property(
		    points[j - 1])->combining_class > class) {
			points[j] = points[j - 1];
			j--;
		}
		points[j] = mark;
	}
	len = utf8proc_reencode(points, count, options);
	assert(len >= 0);
	memcpy(out, points, (size_t)len);
	return (size_t)len;
}

struct slice
text_fold(struct arena *a, struct slice s)
{
	struct slice piece, rest = s;
	char *out, *at;
	size_t wide = 0;

	while (wide < s.len && (unsigned char)s.ptr[wide] < 0x80)
		wide++;
	if (wide == s.len)
		return fold_ascii(a, s);
	/* The longest compatibility expansion is elevenfold in bytes. */
	out = at = arena_alloc(a, s.len * 11 + FOLD_GROWTH * 4);
	while (rest.len > 0) {
		piece = slice_of(rest.ptr, text_cut(rest, FOLD_PIECE));
		at += fold_piece(piece, at);
		rest = slice_of(rest.ptr + piece.len, rest.len - piece.len);
	}
	return slice_of(out, (size_t)(at - out));
}

bool
text_is_word(struct slice s, const char *lower)
{
	size_t i;

	for (i = 0; i < s.len && lower[i] != '\0'; i++)
		if ((ascii_upper(s.ptr[i]) ? s.ptr[i] + 32 : s.ptr[i]) !=
		    lower[i])
			return false;
	return i == s.len && lower[i] == '\0';
}

/* The lists are sorted and short; every word in them is lower-case ASCII. */
static bool
in_list(struct slice s, const char *const *list, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2, i = 0;
		int order = 0;

		for (; order == 0 && i < s.len; i++)
			order = (ascii_upper(s.ptr[i]) ? s.ptr[i] + 32
			    : (unsigned char)s.ptr[i]) -
			    (unsigned char)list[mid][i];
		if (order == 0 && list[mid][i] == '\0')
			return true;
		if (order > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

#define LISTED(s, list) in_list(s, list, sizeof(list) / sizeof(*list))

static bool
is_unit(struct slice s)
{
	static const char *const units[] = {
		"am", "b", "bit", "bits", "bn", "bps", "c", "cm", "core",
		"cores", "cpu", "d", "db", "dpi", "eur", "f", "fps", "ft", "g",
		"gb", "gbp", "gbps", "ghz", "gib", "h", "hr", "hrs", "hz",
		"in", "k", "kb", "kbps", "kcal", "kg", "khz", "kib", "km",
		"kmh", "kw", "kwh", "l", "lb", "lbs", "m", "ma", "mah", "mb",
		"mbps", "mg", "mhz", "mi", "mib", "min", "mins", "ml", "mm",
		"mn", "mo", "mph", "ms", "mw", "nd", "nm", "ns", "oz", "pb",
		"pm", "ppi", "ppm", "pt", "px", "qps", "rd", "rem", "rpm",
		"rps", "s", "sec", "secs", "st", "tb", "tbps", "th", "tib",
		"tps", "us", "usd", "v", "w", "wh", "x", "yr", "yrs",
	};

	return LISTED(s, units);
}

static bool
is_extension(struct slice s)
{
	static const char *const extensions[] = {
		"7z", "avi", "awk", "bak", "bash", "bat", "bin", "bmp", "bz2",
		"c", "cc", "cfg", "class", "cmake", "conf", "cpp", "crt", "cs",
		"css", "csv", "dart", "dat", "db", "deb", "def", "diff", "dll",
		"doc", "docx", "env", "erl", "ex", "exe", "exs", "fish",
		"flac", "gif", "go", "gradle", "gz", "h", "hpp", "hs", "htm",
		"html", "ico", "img", "ini", "ipynb", "iso", "jar", "java",
		"jpeg", "jpg", "js", "json", "jsonl", "jsx", "key", "kt",
		"less", "lock", "log", "lua", "md", "mdb", "mjs", "mkv", "mov",
		"mp3", "mp4", "mpg", "o", "odt", "ogg", "old", "orig", "out",
		"patch", "pdf", "pem", "php", "pid", "png", "ppt", "pptx",
		"proto", "py", "pyc", "r", "rar", "rb", "rpm", "rs", "rst",
		"rtf", "scala", "scss", "service", "sh", "so", "sock", "sql",
		"sqlite", "svelte", "svg", "swift", "sys", "tar", "tex", "tf",
		"tgz", "tiff", "tmp", "toml", "ts", "tsv", "tsx", "ttf", "txt",
		"vim", "vue", "war", "wasm", "wav", "webm", "webp", "whl",
		"xls", "xlsx", "xml", "xz", "yaml", "yml", "zig", "zip", "zsh",
	};

	return LISTED(s, extensions);
}

static bool
is_domain_end(struct slice s)
{
	static const char *const ends[] = {
		"ai", "app", "at", "au", "biz", "blog", "br", "ca", "ch",
		"cloud", "cn", "co", "com", "de", "dev", "dk", "edu", "es",
		"eu", "fi", "fm", "fr", "gg", "gov", "ie", "in", "info", "io",
		"it", "jp", "kr", "local", "me", "mil", "net", "nl", "no",
		"nz", "onion", "online", "org", "pl", "pt", "ru", "se", "shop",
		"site", "tech", "to", "tv", "ua", "uk", "us", "xyz",
	};

	return LISTED(s, ends);
}

static bool
is_errno(struct slice s)
{
	static const char *const names[] = {
		"eacces", "eaddrinuse", "eaddrnotavail", "eagain", "ealready",
		"ebadf", "ebadmsg", "ebusy", "ecanceled", "echild",
		"econnaborted", "econnrefused", "econnreset", "edeadlk",
		"edquot", "eexist", "efault", "efbig", "ehostdown",
		"ehostunreach", "eilseq", "einprogress", "eintr", "einval",
		"eio", "eisconn", "eisdir", "eloop", "emfile", "emlink",
		"emsgsize", "enametoolong", "enetdown", "enetunreach",
		"enfile", "enobufs", "enodev", "enoent", "enoexec", "enolck",
		"enomem", "enoprotoopt", "enospc", "enosys", "enotconn",
		"enotdir", "enotempty", "enotfound", "enotsock", "enotsup",
		"enotty", "enxio", "eof", "eoverflow", "eperm", "epipe",
		"eproto", "eprotonosupport", "erange", "eresolve", "erofs",
		"espipe", "esrch", "estale", "etimedout", "etxtbsy",
		"ewouldblock", "exdev", "sigabrt", "sigbus", "sigfpe",
		"sighup", "sigill", "sigint", "sigkill", "sigpipe", "sigsegv",
		"sigterm", "sigtrap",
	};

	return LISTED(s, names);
}

const char *
text_kind_name(enum text_kind kind)
{
	static const char *const names[] = {
		"word", "number", "when", "version", "identifier", "path",
		"url", "email", "mention", "error", "punct", "emoji", "cjk",
	};

	assert((size_t)kind < sizeof(names) / sizeof(*names));
	return names[kind];
}

void
text_tokens_init(struct text_tokens *t, struct slice text)
{
	*t = (struct text_tokens){ .text = text };
}

struct slice
text_token_slice(const struct text_tokens *t, const struct text_token *token)
{
	return slice_of(t->text.ptr + token->at, token->len);
}

static struct slice
sub(struct slice s, size_t from, size_t to)
{
	return slice_of(s.ptr + from, to - from);
}

/* The byte at i, or 0 outside: saves every caller the check. */
static int
byte_at(struct slice s, size_t i)
{
	return i < s.len ? (unsigned char)s.ptr[i] : 0;
}

/* What a run of word characters and joining signs holds, counted once. */
struct run {
	size_t end;
	unsigned letters, digits, humps, wide;
	unsigned slashes, backslashes, dots, underscores, ats, colons;
	unsigned hyphens, apostrophes, others;
	bool joined;		/* a sign stands inside, so it may be compound */
};

static bool
is_joiner(int32_t cp)
{
	return cp == '_' || cp == '-' || cp == '.' || cp == '/' ||
	    cp == '\\' || cp == ':' || cp == '@' || cp == '+' || cp == '#' ||
	    cp == '~' || cp == '$' || is_apostrophe(cp);
}

static void
run_count_sign(struct run *run, int32_t cp)
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

static struct run
run_measure(struct slice s, size_t at)
{
	struct run run = { .end = at };
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
static size_t
trim_run(struct slice s, size_t at, size_t end)
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
is_url_byte(int c)
{
	return c > ' ' && c != '"' && c != '<' && c != '>' && c != '`' &&
	    c != '|' && c != '{' && c != '}' && c != 0x7f && c != '\\';
}

/* To the end of the address; brackets close only what they opened. */
static size_t
url_end(struct slice s, size_t from)
{
	size_t pos = from, next = from;
	int round = 0, square = 0;
	int32_t cp;

	while (next_char(s, &next, &cp)) {
		if (cp < 0x80 ? !is_url_byte(cp)
		    : class_of(cp) != TEXT_LETTER &&
		    class_of(cp) != TEXT_MARK)
			break;
		round += (cp == '(') - (cp == ')');
		square += (cp == '[') - (cp == ']');
		if (round < 0 || square < 0)
			break;
		pos = next;
	}
	while (pos > from && byte_at(s, pos - 1) < 0x80 &&
	    strchr(".,;:!?'*_", byte_at(s, pos - 1)) != NULL)
		pos--;
	return pos;
}

/* "scheme://" or "www." at `at`; the end of the address, or 0. */
static size_t
url_at(struct slice s, size_t at)
{
	size_t i = at, end;

	if (at + 4 < s.len && text_is_word(sub(s, at, at + 4), "www.") &&
	    ascii_alnum(byte_at(s, at + 4)))
		return url_end(s, at + 4);
	while (i < at + 16 && (ascii_alnum(byte_at(s, i)) ||
	    byte_at(s, i) == '+' || byte_at(s, i) == '-'))
		i++;
	if (i < at + 2 || byte_at(s, i) != ':' || byte_at(s, i + 1) != '/' ||
	    byte_at(s, i + 2) != '/')
		return 0;
	end = url_end(s, i + 3);
	return end > i + 3 ? end : 0;
}

size_t
text_url_len(struct slice s, size_t at)
{
	size_t end = url_at(s, at);

	return end == 0 ? 0 : end - at;
}

/* Where c stands last in s, or s.len. */
static size_t
find_last(struct slice s, char c)
{
	const char *at = s.len > 0 ? memrchr(s.ptr, c, s.len) : NULL;

	return at == NULL ? s.len : (size_t)(at - s.ptr);
}

static size_t
digits_len(struct slice s, size_t at)
{
	size_t i = at;

	while (ascii_digit(byte_at(s, i)))
		i++;
	return i - at;
}

/* d/m/y, y-m-d, d.m.y: three groups of digits, one sign between them. */
static bool
is_date_shape(struct slice s)
{
	size_t a = digits_len(s, 0), b, c;
	int sign = byte_at(s, a);

	if (a == 0 || (sign != '-' && sign != '/' && sign != '.'))
		return false;
	b = digits_len(s, a + 1);
	if (b < 1 || b > 2 || byte_at(s, a + 1 + b) != sign)
		return false;
	c = digits_len(s, a + b + 2);
	if (a + b + c + 2 != s.len)
		return false;
	if (a == 4)
		return c >= 1 && c <= 2;
	if (sign == '.' && c != 4)
		return false;
	return a <= 2 && (c == 2 || c == 4);
}

/* 10:30, 10:30:15, 10:30:15.250, 10:30pm */
static bool
is_clock_shape(struct slice s)
{
	size_t i = digits_len(s, 0);
	unsigned groups = 1;

	if (i < 1 || i > 2)
		return false;
	while (byte_at(s, i) == ':' && digits_len(s, i + 1) == 2) {
		i += 3;
		groups++;
	}
	if (groups < 2 || groups > 3)
		return false;
	if (byte_at(s, i) == '.' && digits_len(s, i + 1) > 0)
		i += 1 + digits_len(s, i + 1);
	return i == s.len || text_is_word(sub(s, i, s.len), "am") ||
	    text_is_word(sub(s, i, s.len), "pm");
}

static bool
is_when(struct slice s)
{
	if (!ascii_digit(byte_at(s, 0)))
		return false;
	if (is_date_shape(s) || is_clock_shape(s))
		return true;
	/* An RFC 3339 instant; '+' and ':' are joiners, so it is one run. */
	return s.len >= 16 && s.ptr[10] == 'T' && is_date_shape(sub(s, 0, 10)) &&
	    is_clock_shape(sub(s, 11, 16));
}

/* v2, v1.2, 1.2.3, 1.2.3-rc1; "1.2" alone is a number, 10.0.0.1 an address. */
static bool
is_version(struct slice s)
{
	size_t i = byte_at(s, 0) == 'v' || byte_at(s, 0) == 'V', start = i, n;
	unsigned groups = 0;

	while ((n = digits_len(s, i)) > 0) {
		groups++;
		i += n;
		if (byte_at(s, i) != '.' || (!ascii_digit(byte_at(s, i + 1)) &&
		    !(byte_at(s, i + 1) == 'x' && groups > 0)))
			break;
		i++;
	}
	if (groups == 0 || (start == 0 && groups < 3))
		return start == 0 && groups == 2 && i < s.len &&
		    (s.ptr[i] == '-' || s.ptr[i] == '+') &&
		    ascii_letter(byte_at(s, i + 1));
	if (byte_at(s, i) == 'x')
		i++;
	if (i == s.len)
		return start > 0 || groups == 3;
	/* A suffix: -rc1, +build, b2 */
	if (s.ptr[i] == '-' || s.ptr[i] == '+')
		return ascii_alnum(byte_at(s, i + 1));
	return ascii_letter(s.ptr[i]) && s.len - i <= 4 && start == 0;
}

static bool
is_ip_address(struct slice s)
{
	size_t i = 0, n;

	for (unsigned group = 0; group < 4; group++) {
		n = digits_len(s, i);
		if (n < 1 || n > 3)
			return false;
		i += n;
		if (group < 3 && byte_at(s, i++) != '.')
			return false;
	}
	/* A port or a prefix length may follow. */
	if (byte_at(s, i) == ':' || byte_at(s, i) == '/')
		i += 1 + digits_len(s, i + 1);
	return i == s.len;
}

/* ORA-00942, CVE-2021-44228 */
static bool
is_hyphen_code(struct slice s)
{
	size_t i = 0;

	while (ascii_upper(byte_at(s, i)))
		i++;
	if (i < 2 || i > 5 || byte_at(s, i) != '-')
		return false;
	for (; i < s.len; i++)
		if (!ascii_digit(s.ptr[i]) && s.ptr[i] != '-')
			return false;
	return ascii_digit(s.ptr[s.len - 1]) && s.len >= 7;
}

static bool
is_email(struct slice s, const struct run *run)
{
	size_t at = find_last(s, '@'), dot = find_last(s, '.');

	return run->ats == 1 && at > 0 && ascii_alnum(s.ptr[0]) &&
	    run->slashes == 0 && run->colons == 0 && dot > at + 1 && dot + 2 < s.len &&
	    ascii_letter(s.ptr[dot + 1]);
}

static struct slice
last_part(struct slice s, char separator)
{
	size_t at = find_last(s, separator);

	return at == s.len ? s : sub(s, at + 1, s.len);
}

static bool
has_extension(struct slice s)
{
	size_t dot = find_last(s, '.');

	return dot < s.len && dot > 0 && s.ptr[dot - 1] != '.' &&
	    is_extension(sub(s, dot + 1, s.len));
}

/* "example.com", "docs.example.org/3/library" */
static bool
is_host(struct slice s, const struct run *run)
{
	const char *slash = memchr(s.ptr, '/', s.len);
	struct slice host = s, end;
	size_t dot;

	if (slash != NULL)
		host.len = (size_t)(slash - s.ptr);
	dot = find_last(host, '.');
	if (dot < 2 || dot >= host.len || run->underscores > 0 ||
	    run->ats > 0 || run->backslashes > 0 || run->wide > 0 ||
	    !ascii_alnum(byte_at(s, 0)))
		return false;
	end = sub(host, dot + 1, host.len);
	if (!is_domain_end(end))
		return false;
	/* "done.it works": a missing space is likelier than a short name. */
	if (end.len == 2 && slash == NULL && run->dots == 1 &&
	    !text_is_word(end, "io") && !text_is_word(end, "ai") &&
	    !text_is_word(end, "de") && !text_is_word(end, "ru") &&
	    !text_is_word(end, "cn") && !text_is_word(end, "uk"))
		return false;
	return !(ascii_upper(end.ptr[0]) && !ascii_upper(s.ptr[0]));
}

size_t
text_path_len(struct slice path)
{
	size_t len = path.len;

	for (;;) {
		size_t at = len;

		while (at > 0 && ascii_digit(path.ptr[at - 1]))
			at--;
		if (at == len || at < 2 || path.ptr[at - 1] != ':')
			return len;
		len = at - 1;
	}
}

static bool
is_path(struct slice whole, const struct run *run)
{
	struct slice s = sub(whole, 0, text_path_len(whole));
	struct slice tail = last_part(s, '/');
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
		    memchr(s.ptr, ':', s.len) == NULL && has_extension(s);
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
	if (has_extension(tail) || run->underscores > 0)
		return true;
	/* "and/or", "he/she/it", "1/2": words, not a path. */
	return s.ptr[s.len - 1] == '/' || (run->slashes >= 2 &&
	    (run->dots > 0 || run->digits > 0 || run->hyphens > 0 ||
	    run->slashes >= 3)) ||
	    (run->dots > 0 && ascii_letter(byte_at(tail, 0)));
}

/* 550e8400-e29b-41d4-a716-446655440000 and other hyphened hex. */
static bool
is_uuid(struct slice s, const struct run *run)
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
is_flag(struct slice s)
{
	if (byte_at(s, 0) != '-' || s.len < 2)
		return false;
	if (s.ptr[1] == '-')
		return ascii_letter(byte_at(s, 2));
	return ascii_letter(s.ptr[1]) && s.len <= 3;
}

static bool
is_dotted_name(struct slice s, const struct run *run, bool called)
{
	/* "foo.bar" may be two sentences; more than that says it is a name. */
	return run->dots > 0 && run->letters > 0 && run->slashes == 0 &&
	    run->hyphens == 0 && run->apostrophes == 0 && run->others == 0 &&
	    (called || run->humps > 0 || run->dots >= 2) &&
	    ascii_letter(byte_at(s, 0)) &&
	    memmem(s.ptr, s.len, "..", 2) == NULL;
}

/* e.g, U.S, a.m: single letters with dots between. */
static bool
is_abbreviation(struct slice s)
{
	if (s.len < 3 || s.len % 2 == 0)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (i % 2 == 0 ? !ascii_letter(s.ptr[i]) : s.ptr[i] != '.')
			return false;
	return true;
}

static bool
is_identifier(struct slice s, const struct run *run, bool called)
{
	int first = byte_at(s, 0), second = byte_at(s, 1);

	if (first == '$')
		return ascii_letter(second) || second == '_';
	if (first == '#')
		return ascii_alnum(second) && run->others == 1;
	if (is_flag(s) || is_uuid(s, run) || is_ip_address(s))
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
		struct slice port = last_part(s, ':');

		return port.len >= 2 && digits_len(port, 0) == port.len;
	}
	return is_dotted_name(s, run, called);
}

/* The kind of a compound run, or TEXT_PUNCT when it is none. */
static enum text_kind
run_kind(struct slice s, const struct run *run, bool called)
{
	if (run->ats > 0 && is_email(s, run))
		return TEXT_EMAIL;
	if (run->ats == 1 && s.ptr[0] == '@' && run->slashes == 0)
		return s.len > 1 ? TEXT_MENTION : TEXT_PUNCT;
	if (run->digits > 0) {
		if (is_when(s))
			return TEXT_WHEN;
		if (is_ip_address(s))
			return TEXT_IDENTIFIER;
		if (is_version(s))
			return TEXT_VERSION;
		if (run->hyphens > 0 && is_hyphen_code(s))
			return TEXT_ERROR;
	}
	/* "R.R" and "d.h" before files called so; "x.h" is one. */
	if (run->dots > 0 && is_abbreviation(s) && (ascii_upper(s.ptr[0]) ||
	    text_is_word(s, "d.h")))
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
	if (run->dots > 0 && is_abbreviation(s))
		return TEXT_WORD;
	return TEXT_PUNCT;
}

static bool
ends_with(struct slice s, const char *end)
{
	size_t len = strlen(end);

	return s.len > len && memcmp(s.ptr + s.len - len, end, len) == 0;
}

/* E0382, TS2345, LNK2019: a known prefix and three to six digits. */
static bool
is_error_code(struct slice s)
{
	static const char *const prefixes[] = {
		"cs", "e", "kb", "lnk", "msb", "ora", "ts",
	};
	size_t i = 0, n;

	while (ascii_upper(byte_at(s, i)))
		i++;
	n = digits_len(s, i);
	return i > 0 && n >= 3 && n <= 7 && i + n == s.len &&
	    LISTED(sub(s, 0, i), prefixes);
}

static bool
is_hex(struct slice s, unsigned digits)
{
	if (s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] == 'x' ||
	    s.ptr[1] == 'X'))
		return true;
	/* A commit: long enough, and both digits and letters. */
	if (s.len < 7 || s.len > 64 || digits < 2 || digits == s.len)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' &&
		    s.ptr[i] <= 'f'))
			return false;
	return true;
}

size_t
text_number_len(struct slice number)
{
	size_t len = number.len;

	while (len > 0 && !ascii_digit(number.ptr[len - 1]))
		len--;
	return len;
}

/* What is known of a plain word once it is read. */
struct word {
	size_t end;
	unsigned letters, digits, uppers, humps;
	bool numeric;		/* a digit first, and only digits or . , so far */
	bool wide;
};

static enum text_kind
word_kind(struct slice s, const struct word *w)
{
	if (w->letters == 0)
		return TEXT_NUMBER;
	if (w->wide)
		return TEXT_WORD;
	if (ascii_digit(s.ptr[0])) {
		size_t n = text_number_len(s);
		struct slice unit = sub(s, n, s.len);

		if (digits_len(s, 0) > 0 && n + w->letters == s.len &&
		    is_unit(unit))
			return digits_len(s, 0) == n && n <= 2 &&
			    (text_is_word(unit, "am") ||
			    text_is_word(unit, "pm")) ? TEXT_WHEN
			    : TEXT_NUMBER;
		if (s.len > 2 && is_hex(s, w->digits))
			return s.ptr[1] == 'x' || s.ptr[1] == 'X' ? TEXT_ERROR
			    : TEXT_IDENTIFIER;
		return TEXT_WORD;
	}
	if (w->digits > 0 && (s.ptr[0] == 'v' || s.ptr[0] == 'V') &&
	    is_version(s))
		return TEXT_VERSION;
	if (w->digits >= 3 && is_error_code(s))
		return TEXT_ERROR;
	if (w->digits >= 2 && is_hex(s, w->digits))
		return TEXT_IDENTIFIER;
	if (w->uppers >= 3 && w->uppers == s.len && is_errno(s))
		return TEXT_ERROR;
	if (w->humps > 0)
		return ends_with(s, "Error") || ends_with(s, "Exception")
		    ? TEXT_ERROR : TEXT_IDENTIFIER;
	return TEXT_WORD;
}

/* Does the sign at `pos` go on with the word?  `next` is behind the sign. */
static bool
joins_word(struct slice s, const struct word *w, int32_t cp, size_t next)
{
	if (is_apostrophe(cp)) {
		int32_t after;

		return w->letters > 0 && next_char(s, &next, &after) &&
		    class_of(after) == TEXT_LETTER;
	}
	return (cp == '.' || cp == ',') && w->numeric &&
	    ascii_digit(byte_at(s, next)) && ascii_digit(byte_at(s, next - 2));
}

static struct word
word_measure(struct slice s, size_t at)
{
	struct word w = { .end = at };
	bool lower_before = false;
	size_t pos = at;
	int32_t cp;

	w.numeric = ascii_digit(byte_at(s, at));
	while (next_char(s, &pos, &cp)) {
		enum text_class class = class_of(cp);

		if (class == TEXT_LETTER) {
			w.letters++;
			w.numeric = false;
		} else if (class == TEXT_DIGIT) {
			w.digits++;
		} else if (class != TEXT_MARK && !joins_word(s, &w, cp, pos)) {
			break;
		}
		w.wide = w.wide || (cp >= 0x80 && !is_apostrophe(cp));
		w.uppers += ascii_upper(cp);
		w.humps += lower_before && ascii_upper(cp);
		lower_before = cp >= 'a' && cp <= 'z';
		w.end = pos;
	}
	return w;
}

/* "HTTP 401": the number belongs to the name. */
static size_t
http_status_end(struct slice s, size_t at, size_t end)
{
	if (end - at != 4 || memcmp(s.ptr + at, "HTTP", 4) != 0 ||
	    byte_at(s, end) != ' ' || digits_len(s, end + 1) != 3 ||
	    byte_at(s, end + 1) < '1' || byte_at(s, end + 1) > '5' ||
	    ascii_letter(byte_at(s, end + 4)))
		return 0;
	return end + 4;
}

static bool
is_call(struct slice s, size_t end)
{
	return byte_at(s, end) == '(' && byte_at(s, end + 1) == ')';
}

static void
take_word(struct text_tokens *t, struct text_token *token)
{
	struct slice s = t->text;
	struct word w = word_measure(s, t->pos);
	size_t status = http_status_end(s, t->pos, w.end);

	token->at = t->pos;
	token->kind = word_kind(sub(s, t->pos, w.end), &w);
	if (status > 0) {
		token->kind = TEXT_ERROR;
		w.end = status;
	} else if (token->kind == TEXT_NUMBER && byte_at(s, w.end) == '%') {
		w.end++;
	} else if (token->kind == TEXT_WORD && is_call(s, w.end)) {
		token->kind = TEXT_IDENTIFIER;
	} else if (token->kind == TEXT_WORD && w.end - t->pos <= 2 &&
	    w.letters > 0 && !w.wide) {
		/* C++, C#, F# */
		if (byte_at(s, w.end) == '+' && byte_at(s, w.end + 1) == '+')
			w.end += 2;
		else if (byte_at(s, w.end) == '#' && w.end - t->pos == 1)
			w.end++;
	}
	token->len = w.end - t->pos;
	t->pos = w.end;
}

static size_t
marks_end(struct slice s, size_t at)
{
	size_t pos = at;
	int32_t cp;

	while (next_char(s, &pos, &cp) && class_of(cp) == TEXT_MARK)
		at = pos;
	return at;
}

/* A picture with its selectors, skin tones and joined pictures; a flag. */
static size_t
picture_end(struct slice s, size_t at)
{
	size_t end = at, pos = at;
	bool joined = true, flag = false;
	int32_t cp;

	while (next_char(s, &pos, &cp)) {
		bool letter = cp >= 0x1f1e6 && cp <= 0x1f1ff;

		if (cp == 0x200d)
			joined = true;
		else if (flag && letter)
			flag = false;
		else if (joined && class_of(cp) == TEXT_PICTURE) {
			joined = false;
			flag = letter;
		} else if (class_of(cp) != TEXT_MARK &&
		    !(cp >= 0x1f3fb && cp <= 0x1f3ff))
			break;
		end = pos;
	}
	return end;
}

/* :-) ;) :D =( <3 and their kin; the length, or 0. */
static size_t
emoticon_len(struct slice s, size_t at)
{
	size_t i = at + 1;

	if (at > 0 && ascii_alnum(byte_at(s, at - 1)))
		return 0;
	if (s.ptr[at] == '<')
		return byte_at(s, i) == '3' && !ascii_alnum(byte_at(s, i + 1))
		    ? 2 : 0;
	if (strchr(":;=", s.ptr[at]) == NULL || s.ptr[at] == '\0')
		return 0;
	if (byte_at(s, i) == '-' || byte_at(s, i) == '\'')
		i++;
	if (byte_at(s, i) == 0 || strchr(")(DPpOo|/\\3*]", byte_at(s, i)) == NULL ||
	    ascii_alnum(byte_at(s, i + 1)) ||
	    (byte_at(s, i) == '/' && byte_at(s, i + 1) == '/'))
		return 0;
	return i + 1 - at;
}

static void
take_sign(struct text_tokens *t, struct text_token *token, size_t next)
{
	struct slice s = t->text;
	size_t len = emoticon_len(s, t->pos), one = next - t->pos;

	*token = (struct text_token){ t->pos, one, TEXT_PUNCT };
	if (len > 0) {
		token->kind = TEXT_EMOJI;
		token->len = len;
	} else if (strchr("([{)]}\"", s.ptr[t->pos]) == NULL) {
		while (token->at + token->len + one <= s.len &&
		    memcmp(s.ptr + t->pos, s.ptr + t->pos + token->len,
		    one) == 0)
			token->len += one;
	}
	t->pos += token->len;
}

/* -5, +3, $5, €20: a sign that belongs to the number after it. */
static bool
take_signed(struct text_tokens *t, struct text_token *token, int32_t cp,
    size_t next)
{
	size_t at = t->pos;
	bool currency = cp == '$' || (cp >= 0x80 &&
	    utf8proc_category(cp) == UTF8PROC_CATEGORY_SC);

	if (!currency && cp != '-' && cp != '+')
		return false;
	if (!ascii_digit(byte_at(t->text, next)))
		return false;
	if (!currency && at > 0 && byte_at(t->text, at - 1) > ' ' &&
	    byte_at(t->text, at - 1) != '(')
		return false;
	t->pos = next;
	take_word(t, token);
	token->len += token->at - at;
	token->at = at;
	return true;
}

static bool
take_compound(struct text_tokens *t, struct text_token *token)
{
	struct slice s = t->text;
	size_t end = url_at(s, t->pos);
	enum text_kind kind = TEXT_URL;
	struct run run;

	if (end == 0) {
		run = run_measure(s, t->pos);
		t->plain_until = run.end;
		if (!run.joined)
			return false;
		end = trim_run(s, t->pos, run.end);
		if (end < run.end)
			/* The signs cut off must not count for the rest. */
			run = run_measure(sub(s, 0, end), t->pos);
		if (!run.joined)
			return false;
		kind = run_kind(sub(s, t->pos, end), &run, is_call(s, end));
		if (kind == TEXT_PUNCT)
			return false;
	}
	*token = (struct text_token){ t->pos, end - t->pos, kind };
	t->pos = end;
	return true;
}

static bool
starts_compound(int32_t cp)
{
	return cp == '/' || cp == '~' || cp == '.' || cp == '@' || cp == '_' ||
	    cp == '#' || cp == '$' || cp == '-' || cp == '\\';
}

/* Where the small letters from `at` on end, eight bytes at a time. */
static size_t
small_end(struct slice s, size_t at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t eight, low, small;

	for (; at < s.len && s.len - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, s.ptr + at, sizeof(eight));
		eight = le64toh(eight);
		low = eight & 0x7f * ones;
		/* A byte's top bit: at least 'a', not past 'z', and ASCII. */
		small = (low + (0x80 - 'a') * ones) &
		    ~(low + (0x80 - 'z' - 1) * ones) & ~eight & 0x80 * ones;
		if (small != 0x80 * ones)
			return at + (size_t)__builtin_ctzll(small ^
			    0x80 * ones) / 8;
	}
	while (at < s.len && s.ptr[at] >= 'a' && s.ptr[at] <= 'z')
		at++;
	return at;
}

/*
 * The end of a small-letter word with a border behind it, or 0.  Most words
 * of most texts are such, and need not be measured twice to be known.
 */
static size_t
common_word_end(struct slice s, size_t at)
{
	size_t i = small_end(s, at + 1);
	int c = byte_at(s, i);

	if (c <= ' ' || c == ',' || c == '!' || c == '?' || c == ';' ||
	    c == ')' || (c == '.' && byte_at(s, i + 1) <= ' '))
		return i;
	return 0;
}

/* The same of a number that is only digits. */
static size_t
common_number_end(struct slice s, size_t at)
{
	size_t i = at + digits_len(s, at);
	int c = byte_at(s, i);

	if (c <= ' ' || c == '!' || c == '?' || c == ';' || c == ')' ||
	    ((c == '.' || c == ',') && byte_at(s, i + 1) <= ' '))
		return i;
	return 0;
}

/* One of these at `pos`, which is most of any text. */
static bool
take_common(struct text_tokens *t, struct text_token *token, int32_t cp)
{
	bool digit = ascii_digit(cp);
	size_t end;

	if (!digit && !ascii_letter(cp))
		return false;
	end = digit ? common_number_end(t->text, t->pos) :
	    common_word_end(t->text, t->pos);
	if (end == 0)
		return false;
	*token = (struct text_token){ t->pos, end - t->pos,
		digit ? TEXT_NUMBER : TEXT_WORD };
	t->pos = end;
	return true;
}

/* A sign with nothing behind it is no more than itself. */
static bool
may_be_compound(const struct text_tokens *t, enum text_class class, int32_t cp,
    size_t next)
{
	if (t->pos < t->plain_until)
		return false;
	return class != TEXT_SIGN ||
	    (starts_compound(cp) && byte_at(t->text, next) > ' ');
}

bool
text_tokens_next(struct text_tokens *t, struct text_token *token)
{
	enum text_class class;
	size_t next;
	int32_t cp;

	for (;;) {
		next = t->pos;
		if (!next_char(t->text, &next, &cp))
			return false;
		class = class_of(cp);
		if (class != TEXT_SPACE && class != TEXT_MARK)
			break;
		t->pos = next;
	}
	if (take_common(t, token, cp))
		return true;
	if (class == TEXT_PICTURE) {
		next = picture_end(t->text, t->pos);
		*token = (struct text_token){ t->pos, next - t->pos,
			TEXT_EMOJI };
		t->pos = next;
		return true;
	}
	if (class == TEXT_UNSPACED) {
		next = marks_end(t->text, next);
		*token = (struct text_token){ t->pos, next - t->pos, TEXT_CJK };
		t->pos = next;
		return true;
	}
	if (may_be_compound(t, class, cp, next) && take_compound(t, token))
		return true;
	if (class == TEXT_SIGN) {
		if (!take_signed(t, token, cp, next))
			take_sign(t, token, next);
		return true;
	}
	take_word(t, token);
	return true;
}
