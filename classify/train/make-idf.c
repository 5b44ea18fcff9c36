/*
 * make-idf - document frequencies of words to weights of stems
 *
 * Run by the script beside it.  Stems seen in fewer than LEAST messages are
 * left out: they weigh as much as a word never seen, and that weight stands
 * in the first line.
 */
#include <libstemmer.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, SLOTS = 1 << 17 };

struct entry {
	char *stem;
	double messages;
};

static struct entry table[SLOTS];

static struct entry *
find(const char *stem)
{
	size_t slot = 5381;

	for (const char *p = stem; *p != '\0'; p++)
		slot = slot * 33 + (unsigned char)*p;
	for (slot %= SLOTS; table[slot].stem != NULL;
	    slot = (slot + 1) % SLOTS)
		if (strcmp(table[slot].stem, stem) == 0)
			return &table[slot];
	table[slot].stem = strdup(stem);
	if (table[slot].stem == NULL)
		abort();
	return &table[slot];
}

static long
weight(double all, double messages)
{
	return messages >= all ? 0 : lround(1000 * log(all / messages));
}

int
main(void)
{
	struct sb_stemmer *stemmer = sb_stemmer_new("english", "UTF_8");
	double all = 0, messages;
	char line[4096], *tab;

	if (stemmer == NULL)
		abort();
	while (fgets(line, sizeof(line), stdin) != NULL) {
		tab = strchr(line, '\t');
		if (tab == NULL)
			continue;
		*tab = '\0';
		messages = strtod(tab + 1, NULL);
		if (strcmp(line, "#messages") == 0)
			all = messages;
		else
			find((const char *)sb_stemmer_stem(stemmer,
			    (const sb_symbol *)line, (int)strlen(line)))
			    ->messages += messages;
	}
	if (all == 0) {
		fputs("make-idf: no #messages line\n", stderr);
		return 1;
	}
	printf("#unknown\t%ld\n", weight(all, LEAST - 1));
	for (size_t i = 0; i < SLOTS; i++)
		if (table[i].stem != NULL && table[i].messages >= LEAST)
			printf("%s\t%ld\n", table[i].stem,
			    weight(all, table[i].messages));
	sb_stemmer_delete(stemmer);
	return ferror(stdin) || fflush(stdout) != 0;
}
