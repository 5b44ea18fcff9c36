/*
 * rank - what makes a document a good answer, in numbers
 */
#include "store/rank.h"

#include <math.h>

#include "store/wish.h"

static const struct {
	double k1, b;			/* BM25: counts, lengths */
	double name_share;
	double dense, speaker;
	double before, after, before2, after2, sitting;
	double role_length, role_least;	/* of assistants and tools */
	double role_asked;
	double standing, prefer;
	double recency, half_life_days;
	double weight;
	double together;
	double least_alike, least_beside;	/* where no word speaks for it */
	double unit;			/* a score that is worth 0.63 */
	double superseded, refinement;
} rank = {
	.k1 = 0.9,
	.b = 0.6,
	.name_share = 0.5,
	.dense = 0.45,
	.speaker = 0.4,
	.before = 0.3,
	.after = 0.2,
	.before2 = 0.1,
	.after2 = 0.1,
	.sitting = 0.3,
	.role_length = 40.0,
	.role_least = 0.1,
	.role_asked = 0.4,
	.standing = 1.4,
	.prefer = 1.2,
	.recency = 0.03,
	.half_life_days = 30.0,
	.weight = 0.05,
	.together = 0.3,
	.least_alike = 0.25,
	.least_beside = 0.4,
	.unit = 1.3,
	.superseded = 0.7,
	.refinement = 1.2,
};

double
rank_idf(const struct rank_field *f, uint64_t df)
{
	return log(1.0 + ((double)f->n_docs - (double)df + 0.5) /
	    ((double)df + 0.5));
}

double
rank_damping(const struct rank_field *f, enum document_class class,
    double length)
{
	double mean = f->mean[class] > 0.0 ? f->mean[class] : 1.0;

	return rank.k1 * (1.0 - rank.b + rank.b * length / mean);
}

double
rank_scale(void)
{
	return rank.k1 + 1.0;
}

double
rank_name_share(void)
{
	return rank.name_share;
}

double
rank_role(enum document_class class, double length, bool asks_back)
{
	if ((class != CLASS_ASSISTANT && class != CLASS_MACHINE) ||
	    length <= rank.role_length)
		return 1.0;
	return fmax(asks_back ? rank.role_asked : rank.role_least,
	    rank.role_length / length);
}

double
rank_wish(unsigned wish)
{
	if ((wish & WISH_STANDING) != 0)
		return rank.standing;
	return (wish & WISH_PREFER) != 0 ? rank.prefer : 1.0;
}

double
rank_own(const struct rank_own *own)
{
	return (own->terms + rank.dense * own->dense +
	    (own->speaker ? rank.speaker : 0.0)) * own->role;
}

bool
rank_is_found(const struct rank_facts *f)
{
	return f->own.terms > 0.0 || f->own.speaker ||
	    f->own.alike >= rank.least_alike ||
	    fmax(f->before, f->after) >= rank.least_beside;
}

double
rank_score(const struct rank_facts *f, struct search_why *why)
{
	double days = (double)f->age_ms / 86400000.0;
	double weight = (double)f->weight / 1000.0;

	why->dense = rank.dense * f->own.dense * f->own.role;
	why->terms = rank_own(&f->own) - why->dense +
	    rank.together * f->together * f->own.role;
	why->neighbour = f->alone ? 0.0 : rank.before * f->before +
	    rank.after * f->after + rank.before2 * f->before2 +
	    rank.after2 * f->after2 + rank.sitting * f->sitting;
	why->recency = rank.recency *
	    exp2(-(days > 0.0 ? days : 0.0) / rank.half_life_days);
	why->weight = weight > 0.0 ? rank.weight * weight / (weight + 1.0) :
				     0.0;
	return why->terms + why->dense + why->neighbour + why->recency +
	    why->weight;
}

double
rank_unit(double score)
{
	return score <= 0.0 ? 0.0 : 1.0 - exp(-score / rank.unit);
}

double
rank_superseded(double unit)
{
	return unit * rank.superseded;
}

double
rank_refinement(double unit)
{
	return fmin(1.0, unit * rank.refinement);
}
