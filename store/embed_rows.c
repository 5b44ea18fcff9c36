/*
 * embed_rows - rows of a table, each so many times, added up
 *
 * Whole numbers throughout: wide units and narrow ones give the same sums.  As
 * in embed_cosine, by hand for AVX2, where two rows are multiplied and added
 * in one step, and plain for the rest.
 */
#include "store/embed_rows.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { BLOCK = 16 };

static void
add_plain(const struct embed_row *rows, size_t n, size_t dims,
    int32_t *restrict sum)
{
	const int8_t *row;
	int16_t scale;
	size_t i, at, k;

	for (i = 0; i < n; i++) {
		row = rows[i].at;
		scale = (int16_t)rows[i].scale;
		/* Sixteen bits times sixteen: what plain units can do. */
		for (at = 0; at < dims; at += BLOCK)
			for (k = 0; k < BLOCK; k++)
				sum[at + k] += scale * (int16_t)row[at + k];
	}
}

#ifdef __SSE2__
__attribute__((target("avx2"))) static __m256i
widen(const int8_t *at)
{
	return _mm256_cvtepi8_epi16(_mm_loadu_si128(
	    (const __m128i *)(const void *)at));
}

__attribute__((target("avx2"))) static void
add_eight(int32_t *sum, __m256i eight)
{
	__m256i *at = (__m256i *)(void *)sum;

	_mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at),
	    eight));
}

/* A block of all rows at a time, whose sums stay in registers. */
__attribute__((target("avx2"))) static void
add_wide(const struct embed_row *rows, size_t n, size_t dims, int32_t *sum)
{
	__m256i a, b, scales, low, high;
	size_t i, at;

	for (at = 0; at < dims; at += BLOCK) {
		low = high = _mm256_setzero_si256();
		for (i = 0; i < n; i += 2) {
			a = widen(rows[i].at + at);
			b = widen(rows[i + 1].at + at);
			scales = _mm256_set1_epi32(rows[i + 1].scale * 65536 +
			    rows[i].scale);
			low = _mm256_add_epi32(low, _mm256_madd_epi16(
			    _mm256_unpacklo_epi16(a, b), scales));
			high = _mm256_add_epi32(high, _mm256_madd_epi16(
			    _mm256_unpackhi_epi16(a, b), scales));
		}
		/* Each half of a register was taken apart for itself. */
		add_eight(sum + at, _mm256_permute2x128_si256(low, high, 0x20));
		add_eight(sum + at + BLOCK / 2,
		    _mm256_permute2x128_si256(low, high, 0x31));
	}
}
#endif

void
embed_rows_add(const struct embed_row *rows, size_t n, size_t dims,
    int32_t *sum)
{
#ifdef __SSE2__
	if (__builtin_cpu_supports("avx2")) {
		add_wide(rows, n, dims, sum);
		return;
	}
#endif
	add_plain(rows, n, dims, sum);
}
