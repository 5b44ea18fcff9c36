/*
 * text_lists - words that tell what a token is: units, file names' ends, …
 */
#include "common/text_impl.h"

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

bool
text_is_unit(struct slice s)
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

bool
text_is_extension(struct slice s)
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

bool
text_is_domain_end(struct slice s)
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

bool
text_is_errno(struct slice s)
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

bool
text_is_code_prefix(struct slice s)
{
	static const char *const prefixes[] = {
		"cs", "e", "kb", "lnk", "msb", "ora", "ts",
	};

	return LISTED(s, prefixes);
}
