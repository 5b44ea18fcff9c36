/*
 * reply_read - what a message of a room shows: whom it names, its words
 *
 * A name is searched among the speakers of the window only.  At the beginning
 * ("name: text", "name, text") and behind an @ it may be shortened or have one
 * letter wrong; elsewhere it must stand exactly, and a word that everybody uses
 * is no name there, whoever is called so.
 */
#include "chainer/reply.h"

#include "common/text.h"

enum {
	NAME_SLOTS = 512,	/* at least twice the names of a window */
	GUESSES = 8,		/* searches for misspelt names in one message */
	GUESS_BYTES = 3,	/* a shortened name has at least as many */
	TYPO_BYTES = 5,
	WORD_BYTES = 64,	/* longer ones are no words */
};

/* Folded words of one kind, with one space around each. */
static const char stop_words[] =
    " a about after again all also always am an and another any anybody anyone"
    " anything are aren't around as ask at away back be because been before"
    " being better between both but by bye came can can't cannot could"
    " couldn't did didn't do does doesn't doing don't done down each either"
    " else even ever every everyone everything few first for from get gets"
    " getting give go goes going gone good got great had happen has have"
    " haven't having he hello help her here hey hi him his how however i i'd"
    " i'll i'm i've if in into is isn't it it's its just keep kind know last"
    " least less let let's like little lol look lot made make many may maybe"
    " me mean might mine more most much must my myself name need never new"
    " next nice no nobody none nope not nothing now of off oh ok okay on once"
    " one only or other others our out over own people perhaps please point"
    " pretty put quite rather really right said same say says see seem seems"
    " she should since so some somebody someone something sorry still stuff"
    " such sure take tell than thank thanks that that's the their them then"
    " there there's these they they're thing things think this those though"
    " through time to too tried try trying two under until up us use used user"
    " using very want wanted was wasn't way we well went were weren't what"
    " what's when where which while who why will with without won't work"
    " working works would wouldn't yeah yep yes yet you you'll you're you've"
    " your und oder der die das ist ein eine nicht ich du wir ihr sie es mit"
    " auf zu im den dem ja nein danke hallo aber wie was wer wo el la los las"
    " un una que de y en no es por con para si gracias hola le les des et est"
    " je tu il nous vous pas pour dans sur oui non merci bonjour ";
static const char thanks_words[] =
    " thanks thank thx thnx ty tnx tyvm thankyou cheers danke gracias merci"
    " obrigado grazie ";
static const char greeting_words[] =
    " hi hello hey hiya heya howdy morning evening afternoon greetings bye"
    " goodbye goodnight cya hallo moin hola bonjour ciao re ";
static const char answer_words[] =
    " yes yeah yep yup yea ya no nope nah ok okay k sure right exactly correct"
    " indeed true agreed ah aha oh hmm hm lol heh haha well maybe probably"
    " actually ja nein si oui non done ";
static const char all_words[] =
    " anyone anybody everyone everybody someone somebody all guys folks people"
    " jemand alle alguien quelqu'un ";
static const char more_words[] =
    " and but or so also then because plus otherwise though anyway und aber"
    " oder y pero et mais ";
static const char question_words[] =
    " how what what's whats why where where's who which when is are does do"
    " did can could would should has have will any anyone anybody wie was"
    " warum wo wer kann que como donde pourquoi comment ";

/* 140,000 years, so that differences and their sums cannot overflow. */
#define TS_MAX_MS (INT64_C(1) << 52)

static bool
is_among(const char *words, struct slice w)
{
	char key[WORD_BYTES + 3];

	if (w.len == 0 || w.len > WORD_BYTES)
		return false;
	key[0] = ' ';
	memcpy(key + 1, w.ptr, w.len);
	key[w.len + 1] = ' ';
	key[w.len + 2] = '\0';
	return strstr(words, key) != NULL;
}

static uint64_t
hash_of(struct slice s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3;
	/* 0 means nobody; the high bits are the well mixed ones. */
	h ^= h >> 32;
	return h == 0 ? 1 : h;
}

/*
 * The stop words by hash: asked for every word of every message, so the text
 * above is turned into a table when first used.
 */
static struct {
	bool ready;
	uint32_t slot[2048];
} stops;

static void
stops_fill(void)
{
	const char *at = stop_words + 1;

	while (*at != '\0') {
		size_t len = strcspn(at, " ");
		uint32_t h = (uint32_t)hash_of(slice_of(at, len));
		unsigned i = h % 2048;

		while (stops.slot[i] != 0 && stops.slot[i] != h)
			i = (i + 1) % 2048;
		stops.slot[i] = h;
		at += len + 1;
	}
	stops.ready = true;
}

static bool
is_stop(struct slice w)
{
	uint32_t h = (uint32_t)hash_of(w);
	unsigned i = h % 2048;

	if (!stops.ready)
		stops_fill();
	while (stops.slot[i] != 0 && stops.slot[i] != h)
		i = (i + 1) % 2048;
	return stops.slot[i] == h;
}

/* The speakers of the window, by name; the latest first. */
struct names {
	const struct reply_message *of[REPLY_WINDOW];
	size_t count;
	uint64_t key[NAME_SLOTS];	/* hash of a name or of its first word */
	uint8_t index[NAME_SLOTS];
	uint64_t self;
};

static bool
names_put(struct names *all, uint64_t key, size_t index)
{
	unsigned i = key % NAME_SLOTS;

	while (all->key[i] != 0 && all->key[i] != key)
		i = (i + 1) % NAME_SLOTS;
	if (all->key[i] == key)
		return false;
	all->key[i] = key;
	all->index[i] = (uint8_t)index;
	return true;
}

static const struct reply_message *
names_get(const struct names *all, struct slice s)
{
	uint64_t key = hash_of(s);
	unsigned i = key % NAME_SLOTS;

	while (all->key[i] != 0 && all->key[i] != key)
		i = (i + 1) % NAME_SLOTS;
	return all->key[i] == key ? all->of[all->index[i]] : NULL;
}

static void
names_collect(struct names *all, uint64_t self,
    const struct reply_message *window, size_t n)
{
	size_t from = n > REPLY_WINDOW ? n - REPLY_WINDOW : 0;

	memset(all->key, 0, sizeof(all->key));
	all->count = 0;
	all->self = self;
	for (size_t j = n; j-- > from; )
		if (names_put(all, window[j].speaker, all->count))
			all->of[all->count++] = &window[j];
	/* "Ada" for "Ada Lovelace", unless somebody is called just so. */
	for (size_t i = 0; i < all->count; i++) {
		const struct reply_message *m = all->of[i];
		const char *end = memchr(m->name, ' ', m->name_len);

		if (end != NULL && end - m->name >= GUESS_BYTES)
			names_put(all, hash_of(slice_of(m->name,
			    (size_t)(end - m->name))), i);
	}
}

/* One letter changed, left out, added, or two swapped. */
static bool
is_typo(struct slice a, struct slice b)
{
	size_t head = 0, tail = 0, more;

	if (a.len > b.len) {
		struct slice swap = a;

		a = b;
		b = swap;
	}
	if (a.len < TYPO_BYTES || b.len - a.len > 1)
		return false;
	while (head < a.len && a.ptr[head] == b.ptr[head])
		head++;
	while (tail < a.len - head &&
	    a.ptr[a.len - 1 - tail] == b.ptr[b.len - 1 - tail])
		tail++;
	more = a.len - head - tail;
	if (more <= 1)
		return true;
	return a.len == b.len && more == 2 && a.ptr[head] == b.ptr[head + 1] &&
	    a.ptr[head + 1] == b.ptr[head];
}

/* The speaker meant by a shortened or misspelt name, if it is only one. */
static const struct reply_message *
names_guess(const struct names *all, struct slice s)
{
	const struct reply_message *found = NULL;

	if (s.len < GUESS_BYTES || is_stop(s) || is_among(answer_words, s))
		return NULL;
	for (size_t i = 0; i < all->count; i++) {
		const struct reply_message *m = all->of[i];
		struct slice name = slice_of(m->name, m->name_len);
		bool begins = name.len > s.len &&
		    memcmp(name.ptr, s.ptr, s.len) == 0;

		if (!begins && !is_typo(s, name))
			continue;
		if (found != NULL)
			return NULL;
		found = m;
	}
	return found;
}

static struct slice
strip(struct slice s, const char *before, const char *behind)
{
	while (s.len > 0 && strchr(before, s.ptr[0]) != NULL) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && strchr(behind, s.ptr[s.len - 1]) != NULL)
		s.len--;
	return s;
}

/* Who is meant by the chunk; *strong when it is plainly an address. */
static const struct reply_message *
mention_of(const struct names *all, struct slice chunk, bool first,
    unsigned *guesses, bool *strong)
{
	bool angled = slice_starts(chunk, "<@") &&
	    chunk.ptr[chunk.len - 1] == '>';
	bool at = angled || (chunk.ptr[0] == '@' && chunk.len > 1);
	struct slice name = strip(chunk, angled ? "<@" : "@(\"'",
	    angled ? ">" : ":,.;!?)\"'");
	char end = chunk.ptr[chunk.len - 1];
	bool marked = at || (first && (end == ':' || end == ','));
	const struct reply_message *m;

	*strong = at || first;
	if (name.len == 0)
		return NULL;
	m = names_get(all, chunk);
	if (m == NULL)
		m = names_get(all, name);
	if (m == NULL && marked && *guesses > 0) {
		(*guesses)--;
		m = names_guess(all, name);
	}
	if (m == NULL || at || (first && end == ':'))
		return m;
	/* A word of the language, or too short, needs one of the signs. */
	if (name.len < GUESS_BYTES || is_stop(name) ||
	    is_among(answer_words, name) || is_among(greeting_words, name))
		return NULL;
	return m;
}

/* "somebody: try this" where nobody of that name has spoken of late. */
static bool
is_stranger(struct slice chunk)
{
	struct slice name = strip(chunk, "@", ":");

	if (chunk.ptr[0] == '@')
		return name.len >= 2;
	return chunk.len - name.len == 1 && name.len >= 2 && name.len <= 24 &&
	    !is_stop(name) && !is_among(answer_words, name);
}

static void
add_mention(struct reply_message *m, const struct names *all,
    const struct reply_message *who, bool strong)
{
	if (who->speaker == all->self)
		return;
	for (unsigned i = 0; i < m->mention_count; i++)
		if (m->mentions[i] == who->speaker)
			return;
	if (m->mention_count == REPLY_MENTIONS)
		return;
	if (strong && !(m->flags & REPLY_ADDRESSED)) {
		/* The addressed one stands first. */
		memmove(m->mentions + 1, m->mentions,
		    m->mention_count * sizeof(m->mentions[0]));
		m->mentions[0] = who->speaker;
		m->flags |= REPLY_ADDRESSED;
		m->mention_count++;
		return;
	}
	m->mentions[m->mention_count++] = who->speaker;
}

static void
add_word(struct reply_message *m, uint32_t hash)
{
	unsigned at = m->word_count;

	for (unsigned i = 0; i < m->word_count; i++)
		if (m->words[i] == hash)
			return;
	if (m->word_count == REPLY_WORDS)
		return;
	while (at > 0 && m->words[at - 1] > hash) {
		m->words[at] = m->words[at - 1];
		at--;
	}
	m->words[at] = hash;
	m->word_count++;
	m->sketch |= (uint64_t)1 << (hash >> 26);
}

/* Rough, but the same for both sides: plural and two endings of verbs. */
static struct slice
stem_of(struct slice w)
{
	const char *end = w.ptr + w.len;

	if (w.len > 6 && memcmp(end - 3, "ing", 3) == 0)
		w.len -= 3;
	else if (w.len > 5 && memcmp(end - 2, "ed", 2) == 0)
		w.len -= 2;
	else if (w.len > 3 && end[-1] == 's' && end[-2] != 's')
		w.len -= 1;
	if (w.len > 3 && w.ptr[w.len - 1] == 'e')
		w.len -= 1;
	return w;
}

static void
note_word(struct reply_message *m, struct slice w)
{
	unsigned nth = m->length;

	if (m->length < UINT16_MAX)
		m->length++;
	if (nth < 6 && is_among(thanks_words, w))
		m->flags |= REPLY_THANKS;
	if (nth < 3 && is_among(greeting_words, w))
		m->flags |= REPLY_GREETING;
	if (nth == 0 && is_among(answer_words, w))
		m->flags |= REPLY_ANSWER;
	if (nth == 0 && is_among(more_words, w))
		m->flags |= REPLY_MORE;
	if (nth == 0 && is_among(question_words, w))
		m->flags |= REPLY_QUESTION;
	if (nth < 8 && is_among(all_words, w))
		m->flags |= REPLY_ALL;
	if (w.len < 2 || w.len > WORD_BYTES || is_stop(w))
		return;
	add_word(m, (uint32_t)(hash_of(stem_of(w)) >> 8));
}

/* The words of a chunk; scripts without spaces give pairs of characters. */
static void
note_words(struct reply_message *m, struct slice chunk)
{
	size_t pos = 0, from = 0, before = 0;
	bool in_word = false, pair = false;
	int32_t cp;

	for (size_t at = 0; text_next(chunk, &pos, &cp); at = pos) {
		enum text_class class = text_class(cp);
		bool word = class == TEXT_LETTER || class == TEXT_DIGIT ||
		    class == TEXT_MARK || (cp == '\'' && in_word);

		if (cp == '?')
			m->flags |= REPLY_QUESTION;
		if (word && !in_word)
			from = at;
		if (!word && in_word)
			note_word(m, slice_of(chunk.ptr + from, at - from));
		in_word = word;
		if (class == TEXT_UNSPACED && pair)
			note_word(m, slice_of(chunk.ptr + before, pos - before));
		pair = class == TEXT_UNSPACED;
		before = at;
	}
	if (in_word)
		note_word(m, slice_of(chunk.ptr + from, chunk.len - from));
}

static bool
next_chunk(struct slice text, size_t *pos, struct slice *out)
{
	size_t at = *pos, end;

	while (at < text.len && (unsigned char)text.ptr[at] <= ' ')
		at++;
	for (end = at; end < text.len && (unsigned char)text.ptr[end] > ' '; )
		end++;
	*pos = end;
	*out = slice_of(text.ptr + at, end - at);
	return end > at;
}

static void
read_text(struct reply_message *m, const struct names *all, struct slice text)
{
	unsigned guesses = GUESSES;
	struct slice chunk;
	bool first = true;

	for (size_t pos = 0; next_chunk(text, &pos, &chunk); first = false) {
		bool strong, more = pos < text.len;
		const struct reply_message *who = mention_of(all, chunk, first,
		    &guesses, &strong);

		if (who != NULL)
			add_mention(m, all, who, strong);
		else if (first && more && is_stranger(chunk))
			m->flags |= REPLY_STRANGER;
		else
			note_words(m, chunk);
	}
}

void
reply_read(struct reply_message *m, struct arena *scratch,
    struct slice speaker, int64_t ts_ms, struct slice text,
    const struct reply_message *window, size_t n)
{
	struct slice name = text_fold(scratch, speaker);
	struct names all;

	memset(m, 0, sizeof(*m));
	m->ts_ms = ts_ms > TS_MAX_MS ? TS_MAX_MS :
	    ts_ms < -TS_MAX_MS ? -TS_MAX_MS : ts_ms;
	m->speaker = hash_of(name);
	m->name_len = (uint8_t)text_cut(name, REPLY_NAME_BYTES);
	if (m->name_len > 0)
		memcpy(m->name, name.ptr, m->name_len);
	names_collect(&all, m->speaker, window, n);
	text = slice_of(text.ptr, text_cut(text, REPLY_TEXT_BYTES));
	read_text(m, &all, text_fold(scratch, text));
}
