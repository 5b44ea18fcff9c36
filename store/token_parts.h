/*
 * token_parts - what compounds are made of
 *
 * A compound is an identifier, a path, an address, a code.  Its pieces lie
 * between signs: x86 and 64 in x86_64.  A piece has parts where letters and
 * digits meet or a capital begins a word: get, User and Name in getUserName.
 */
#ifndef STORE_TOKEN_PARTS_H
#define STORE_TOKEN_PARTS_H

#include <stdbool.h>

#include "common/buf.h"

/* The next one from *at on, which moves behind it; false: there is none. */
bool token_next_piece(struct slice s, size_t *at, struct slice *piece);
/* Of a piece. */
bool token_next_part(struct slice piece, size_t *at, struct slice *part);

/*
 * 1.2.3 of v1.2.3-beta, and what is behind it; a version that has no more
 * than numbers is its own base.  `folded` is a version.
 */
struct slice token_version_base(struct slice folded, struct slice *behind);
/* The longest piece between apostrophes: école of l'école. */
struct slice token_main_part(struct slice word);
/* Caroline of Caroline's. */
struct slice token_without_possessive(struct slice folded);

#endif
