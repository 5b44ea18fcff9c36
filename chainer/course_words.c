/*
 * course_words - the words of a turn, as the course model knows them
 *
 * Each word, and the first one, two and three of each sentence: "and the",
 * "what about the", "ok so".  Folded as far as ASCII goes; of what is no word
 * only its kind counts.
 */
#include "chainer/course.h"

#include "common/text.h"

enum {
	WORDS_READ = 24,
	STARTS = 3,
};

#define HASH_SEED UINT32_C(2166136261)

static uint32_t
hash_byte(uint32_t h, unsigned char c)
{
	return (h ^ c) * UINT32_C(16777619);
}

static uint32_t
hash_word(uint32_t h, struct slice s)
{
	unsigned char c;
	size_t i;

	for (i = 0; i < s.len; i++) {
		c = (unsigned char)s.ptr[i];
		h = hash_byte(h, (unsigned char)(c >= 'A' && c <= 'Z' ?
		    c + 32 : c));
	}
	return hash_byte(h, ' ');
}

/* "12", "/etc/hosts" and their like say no more than that there is one. */
static uint32_t
hash_token(uint32_t h, const struct text_tokens *tokens,
    const struct text_token *token)
{
	if (token->kind == TEXT_WORD || token->kind == TEXT_CJK)
		return hash_word(h, text_token_slice(tokens, token));
	return hash_byte(hash_byte(h, '#'), (unsigned char)token->kind);
}

static bool
ends_sentence(struct slice sign)
{
	return sign.len > 0 && (sign.ptr[0] == '.' || sign.ptr[0] == '!' ||
	    sign.ptr[0] == '?' || sign.ptr[0] == ';' || sign.ptr[0] == ':');
}

size_t
course_words(struct slice text, uint32_t words[COURSE_WORDS])
{
	uint32_t start = hash_byte(HASH_SEED, '^');
	struct text_tokens tokens;
	struct text_token token;
	size_t n = 0, read = 0, begun = 0;
	unsigned char last = '-';

	text_tokens_init(&tokens, text);
	while (read < WORDS_READ && text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT || token.kind == TEXT_EMOJI) {
			last = (unsigned char)text.ptr[token.at];
			if (ends_sentence(text_token_slice(&tokens, &token))) {
				start = hash_byte(HASH_SEED, '^');
				begun = 0;
			}
			continue;
		}
		words[n++] = hash_token(HASH_SEED, &tokens, &token);
		if (begun < STARTS) {
			start = hash_token(start, &tokens, &token);
			words[n++] = start;
			begun++;
		}
		last = '-';
		read++;
	}
	words[n++] = hash_byte(hash_byte(HASH_SEED, '$'), last);
	return n;
}

_Static_assert(2 * WORDS_READ + 1 <= COURSE_WORDS, "all of them have room");
