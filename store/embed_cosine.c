/*
 * embed_cosine - how near vectors of one table are
 *
 * Whole numbers throughout: wide units and narrow ones give the same sums.
 * Compilers multiply in sixteen bits and widen the products, which costs three
 * times as much; so this is by hand, for what every x86-64 has, for AVX2 and
 * for AVX-512 with its byte products, and plain for the rest.
 */
#include "store/embed.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Bytes that are multiplied at once. */
enum { BLOCK = 16, WIDE = 32, WIDEST = 64 };

#ifdef __SSE2__
/* A block's products in four sums. */
static __m128i
multiply(const int8_t *a, const int8_t *b)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
	__m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
	__m128i low = _mm_madd_epi16(
	    _mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8),
	    _mm_srai_epi16(_mm_unpacklo_epi8(y, y), 8));
	__m128i high = _mm_madd_epi16(
	    _mm_srai_epi16(_mm_unpackhi_epi8(x, x), 8),
	    _mm_srai_epi16(_mm_unpackhi_epi8(y, y), 8));

	return _mm_add_epi32(low, high);
}

static int32_t
add_up(__m128i four)
{
	four = _mm_add_epi32(four, _mm_srli_si128(four, 8));
	four = _mm_add_epi32(four, _mm_srli_si128(four, 4));
	return _mm_cvtsi128_si32(four);
}

__attribute__((target("avx2"))) static __m256i
widen(const int8_t *at)
{
	return _mm256_cvtepi8_epi16(_mm_loadu_si128(
	    (const __m128i *)(const void *)at));
}

__attribute__((target("avx2"))) static void
cosines_wide(const int8_t *query, const int8_t *rows, size_t n, size_t dims,
    int32_t *out)
{
	__m256i low, high;
	size_t i, at;

	for (i = 0; i < n; i++, rows += dims) {
		low = high = _mm256_setzero_si256();
		for (at = 0; at < dims; at += WIDE) {
			low = _mm256_add_epi32(low, _mm256_madd_epi16(
			    widen(query + at), widen(rows + at)));
			high = _mm256_add_epi32(high, _mm256_madd_epi16(
			    widen(query + at + BLOCK),
			    widen(rows + at + BLOCK)));
		}
		low = _mm256_add_epi32(low, high);
		out[i] = add_up(_mm_add_epi32(_mm256_castsi256_si128(low),
		    _mm256_extracti128_si256(low, 1)));
	}
}

/*
 * The products are of bytes without and with a sign: rows are raised by 128,
 * and 128 times the query is taken away beforehand.
 */
__attribute__((target("avx512f,avx512vnni"))) static void
cosines_widest(const int8_t *query, const int8_t *rows, size_t n, size_t dims,
    int32_t *out)
{
	const __m512i raised = _mm512_set1_epi8((char)0x80);
	__m512i before = _mm512_setzero_si512(), sum;
	size_t i, at;

	for (at = 0; at < dims; at += WIDEST)
		before = _mm512_dpbusd_epi32(before, raised,
		    _mm512_loadu_si512(query + at));
	before = _mm512_sub_epi32(_mm512_setzero_si512(), before);
	for (i = 0; i < n; i++, rows += dims) {
		for (sum = before, at = 0; at < dims; at += WIDEST)
			sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(raised,
			    _mm512_loadu_si512(rows + at)),
			    _mm512_loadu_si512(query + at));
		out[i] = _mm512_reduce_add_epi32(sum);
	}
}

static bool
is_wide(size_t dims)
{
	return dims % WIDE == 0 && __builtin_cpu_supports("avx2");
}

static bool
is_widest(size_t dims)
{
	return dims % WIDEST == 0 && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512vnni");
}

int32_t
embed_cosine(const int8_t *a, const int8_t *b, size_t dims)
{
	__m128i four = _mm_setzero_si128();
	int32_t sum;
	size_t at;

	if (is_widest(dims)) {
		cosines_widest(a, b, 1, dims, &sum);
		return sum;
	}
	if (is_wide(dims)) {
		cosines_wide(a, b, 1, dims, &sum);
		return sum;
	}
	for (at = 0; at < dims; at += BLOCK)
		four = _mm_add_epi32(four, multiply(a + at, b + at));
	return add_up(four);
}
#else
int32_t
embed_cosine(const int8_t *a, const int8_t *b, size_t dims)
{
	int32_t sum = 0;
	size_t i;

	for (i = 0; i < dims; i++)
		sum += (int16_t)a[i] * (int16_t)b[i];
	return sum;
}
#endif

void
embed_cosines(const int8_t *query, const int8_t *rows, size_t n, size_t dims,
    int32_t *out)
{
	size_t i;

#ifdef __SSE2__
	if (is_widest(dims)) {
		cosines_widest(query, rows, n, dims, out);
		return;
	}
	if (is_wide(dims)) {
		cosines_wide(query, rows, n, dims, out);
		return;
	}
#endif
	for (i = 0; i < n; i++)
		out[i] = embed_cosine(query, rows + i * dims, dims);
}
