/*
 * model_why - which features spoke for an act and which against it
 */
#include <stdlib.h>

#include "classify/model_impl.h"

struct share {
	int64_t weight;		/* thousandths */
	unsigned feature;
};

/*
 * The net is piecewise linear: with the hidden units that are on held fixed,
 * each x has a slope, and an embedding's share of the score is exact.  Slopes
 * are in 2^-24 score units per unit of x.
 */
static void
slopes(const struct model *m, const struct pass *p, enum act act,
    int64_t slope[MODEL_WIDTH])
{
	memset(slope, 0, MODEL_WIDTH * sizeof(*slope));
	for (size_t h = 0; h < MODEL_HIDDEN; h++) {
		int64_t mean = 0, out;

		if (p->hidden[h] == 0)
			continue;
		for (size_t a = 0; a < ACT_COUNT; a++)
			mean += (int64_t)m->second[a][h] * m->second_scale[a];
		out = (int64_t)m->second[act][h] * m->second_scale[act] -
		    mean / ACT_COUNT;
		/* Two factors have 24 bits after the point: one goes here. */
		for (size_t d = 0; d < MODEL_WIDTH; d++)
			slope[d] += out * m->first[h][d] * m->first_scale[h] >> 24;
	}
}

static int
share_order(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int64_t wx = x->weight < 0 ? -x->weight : x->weight;
	int64_t wy = y->weight < 0 ? -y->weight : y->weight;

	if (wx != wy)
		return wx < wy ? 1 : -1;
	return (x->feature > y->feature) - (x->feature < y->feature);
}

static int64_t
share_of(const struct model *m, const struct pass *p, unsigned feature,
    const int64_t slope[MODEL_WIDTH])
{
	unsigned group = feature_group(p->features.list[feature].kind);
	const int8_t *row = m->embedding + (size_t)p->row[feature] * MODEL_DIM;
	int64_t sum = 0;

	for (size_t d = 0; d < MODEL_DIM; d++)
		sum += row[d] * (slope[group * MODEL_DIM + d] >> 8);
	return ((sum * m->root[p->known[group]] >> (ROOT_BITS - X_BITS)) *
	    1000) >> (16 + SCORE_BITS);
}

void
model_explain(const struct model *m, struct slice text,
    const struct act_context *ctx, unsigned most, struct buf *out)
{
	struct pass p;
	struct share shares[FEATURES_MAX];
	int64_t slope[MODEL_WIDTH];
	enum act best;
	unsigned count = 0;

	model_run(m, text, ctx, false, &p);
	best = model_best(p.score);
	slopes(m, &p, best, slope);
	for (unsigned i = 0; i < p.features.count; i++)
		if (p.row[i] >= 0)
			shares[count++] = (struct share){
				share_of(m, &p, i, slope), i };
	qsort(shares, count, sizeof(shares[0]), share_order);
	for (unsigned i = 0; i < count && i < most; i++) {
		buf_addf(out, "%+lld ", (long long)shares[i].weight);
		feature_describe(&p.features,
		    &p.features.list[shares[i].feature], out);
		buf_addc(out, '\n');
	}
}
