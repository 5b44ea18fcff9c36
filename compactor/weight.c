/*
 * weight - how much an artifact counts: by use, fading with time
 */
#include "compactor/weight.h"

/* The binary digits of a part of a half-life that count. */
enum { FRACTION_BITS = 16, HALVINGS_MOST = 32 };

/* 2^-f, f in 1/65536, as 32 binary places: a factor for each digit of f. */
static uint64_t
power(uint64_t f)
{
	static const uint32_t halves[FRACTION_BITS] = {
		/* 2^(-1/2), 2^(-1/4), 2^(-1/8) ... */
		3037000500u, 3611622603u, 3938502376u, 4112874773u,
		4202935003u, 4248701965u, 4271771996u, 4283353945u,
		4289156690u, 4292061010u, 4293513907u, 4294240540u,
		4294603903u, 4294785595u, 4294876445u, 4294921870u,
	};
	uint64_t p = UINT64_C(1) << 32;
	int bit;

	for (bit = 0; bit < FRACTION_BITS; bit++)
		if (f >> (FRACTION_BITS - 1 - bit) & 1)
			p = p * halves[bit] >> 32;
	return p;
}

uint64_t
weight_now(uint64_t weight, int64_t at_ms, int64_t now_ms,
    int64_t half_life_ms)
{
	uint64_t passed, whole, rest, left;

	if (now_ms <= at_ms || half_life_ms <= 0)
		return weight;
	passed = (uint64_t)now_ms - (uint64_t)at_ms;
	whole = passed / (uint64_t)half_life_ms;
	rest = passed % (uint64_t)half_life_ms;
	if (whole >= HALVINGS_MOST)
		return WEIGHT_LEAST;
	/* A half-life has less than 2^47 milliseconds: see params.def. */
	rest = (rest << FRACTION_BITS) / (uint64_t)half_life_ms;
	/* Rounded: a moment later it is what it was. */
	left = (weight * power(rest) + (UINT64_C(1) << (31 + whole))) >>
	    (32 + whole);
	return left < WEIGHT_LEAST ? WEIGHT_LEAST : left;
}

uint64_t
weight_used(uint64_t weight)
{
	return weight + WEIGHT_A_USE > WEIGHT_MOST ? WEIGHT_MOST :
						     weight + WEIGHT_A_USE;
}

uint64_t
weight_inherited(const uint64_t *sources, size_t count)
{
	uint64_t sum = 0, half;
	size_t i;

	for (i = 0; i < count; i++)
		sum += sources[i];
	half = count == 0 ? 0 : sum / (2 * count);
	return half < WEIGHT_FIRST ? WEIGHT_FIRST : half;
}
