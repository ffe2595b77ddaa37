/* The positions of a mask's true elements, in row-major order.

   Note [Positions]
   ~~~~~~~~~~~~~~~~
   Eight bytes of the mask at a time become bits. Vectors of eight positions are compressed by them and stored whole, as
   long as the output has room for that; the next store overwrites the rest. With AVX2, places are extracted as bytes
   from a word. Otherwise every position is stored, and the place advances past the true ones. None of these branch.
   Large masks are divided into chunks, which are counted first. The output has room for the counted number, and no
   more is written, even if the mask has changed since. */
#include "runtime/kernel.h"

#include <string.h>

#include "indexing/index.cdef.h"
#include "runtime/library.cdef.h"
#include "runtime/vector.h"

enum { STRETCH = 256, WIDTH = 8, CHUNK = 1 << 16, MOST_CHUNKS = 256 }; /* elements */

struct search {
    const struct facula_positions *plan;
    const char *mask;
    int64_t *o;
    int64_t columns; /* of the output; 0: flat positions */
    int64_t total, chunk, start[MOST_CHUNKS + 1];
};

/* Writes `position` plus the place of each true byte of eight, and unused numbers up to o[8]; returns their number. */
static ALWAYS_INLINE int64_t compress_eight(uint64_t bytes, int64_t position, int64_t *o)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, truth = ((((bytes & low) + low) | bytes) & ~low) >> 7;
#ifdef __AVX512F__
    const __mmask8 bits = (__mmask8)((truth * 0x0102040810204080) >> 56);
    const __m512i places = _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(position));
    _mm512_storeu_si512(o, _mm512_maskz_compress_epi64(bits, places));
    return __builtin_popcount(bits);
#elif defined(__AVX2__) && defined(__BMI2__)
    const uint64_t places = _pext_u64(0x0706050403020100, truth * 0xff);
    const __m256i start = _mm256_set1_epi64x(position);
    const __m256i low_ones = _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((int64_t)places));
    const __m256i high_ones = _mm256_cvtepu8_epi64(_mm_cvtsi64_si128((int64_t)(places >> 32)));
    _mm256_storeu_si256((__m256i *)o, _mm256_add_epi64(low_ones, start));
    _mm256_storeu_si256((__m256i *)(o + 4), _mm256_add_epi64(high_ones, start));
    return __builtin_popcountll(truth);
#else
    int64_t found = 0;
    for (int i = 0; i < WIDTH; i++) {
        o[found] = position + i;
        found += truth >> 8 * i & 1;
    }
    return found;
#endif
}

/* Writes the positions of true elements, the first of which is `position`; returns their number. The output has room
   for n + WIDTH. */
static int64_t find_in(const char *mask, int64_t step, int64_t n, int64_t position, int64_t *o)
{
    int64_t found = 0, i = 0;
    if (step == 1)
        for (; i + WIDTH <= n; i += WIDTH) {
            uint64_t bytes;
            memcpy(&bytes, mask + i, WIDTH);
            if (bytes)
                found += compress_eight(bytes, position + i, o + found);
        }
    for (; i < n; i++) {
        o[found] = position + i;
        found += mask[i * step] != 0;
    }
    return found;
}

/* Writes positions as rows of coordinates. Those of all columns but the last are kept from row to row. */
static void expand(const struct search *s, const int64_t *positions, int64_t n, int64_t *o)
{
    const int64_t columns = s->columns, *extent = s->plan->nest + 2 * s->plan->dims, length = extent[0];
    int64_t begin = 0, *previous = NULL;
    for (int64_t i = 0; i < n; i++, previous = o, o += columns) {
        int64_t at = positions[i] - begin;
        if (previous && at < length) {
            for (int64_t c = 0; c < columns - 1; c++)
                o[c] = previous[c];
        } else {
            int64_t rest = positions[i] / length;
            begin = rest * length;
            at = positions[i] - begin;
            for (int64_t c = 1; c < columns; c++) {
                o[columns - 1 - c] = rest % extent[c];
                rest /= extent[c];
            }
        }
        o[columns - 1] = at;
    }
}

/* Finds the true elements from number `first` to `last` of the mask: the outputs from `found` to `end`. */
static void find(const struct search *s, int64_t first, int64_t last, int64_t found, int64_t end)
{
    const int64_t *nest = s->plan->nest, run = nest[0], step = nest[1];
    int64_t some[STRETCH + WIDTH];
    while (first < last && found < end) {
        const char *mask = s->mask;
        int64_t rest = first / run, at = first % run;
        for (int64_t d = 1; d < s->plan->dims; d++) {
            mask += rest % nest[2 * d] * nest[2 * d + 1];
            rest /= nest[2 * d];
        }
        const int64_t stop = run - at < last - first ? run : at + last - first;
        for (int64_t n; at < stop && found < end; at += n, first += n) {
            n = stop - at < STRETCH ? stop - at : STRETCH;
            const int is_direct = !s->columns && found + n + WIDTH <= end;
            int64_t more = find_in(mask + at * step, step, n, first, is_direct ? s->o + found : some);
            more = more < end - found ? more : end - found;
            if (s->columns)
                expand(s, some, more, s->o + found * s->columns);
            else if (!is_direct)
                memcpy(s->o + found, some, (size_t)more * 8);
            found += more;
        }
    }
}

static int64_t end_of(const struct search *s, int64_t chunk)
{
    const int64_t end = (chunk + 1) * s->chunk;
    return end < s->total ? end : s->total;
}

static void count_chunk(void *context, int64_t chunk)
{
    struct search *s = context;
    const int64_t end = end_of(s, chunk);
    int64_t count = 0;
    for (int64_t first = chunk * s->chunk; first < end; first += 128) {
        const int64_t n = end - first < 128 ? end - first : 128;
        uint8_t few = 0;
        for (int64_t i = 0; i < n; i++)
            few = (uint8_t)(few + (s->mask[first + i] != 0));
        count += few;
    }
    s->start[chunk + 1] = count;
}

static void find_chunk(void *context, int64_t chunk)
{
    const struct search *s = context;
    find(s, chunk * s->chunk, end_of(s, chunk), s->start[chunk], s->start[chunk + 1]);
}

static int64_t search(const struct facula_positions *plan, int64_t *args, int64_t columns)
{
    struct search s = {.plan = plan, .mask = (const char *)args[1], .o = (int64_t *)args[2], .columns = columns, .total = 1};
    const int64_t room = args[0] / (columns ? columns : 1);
    for (int64_t d = 0; d < plan->dims; d++)
        s.total *= plan->nest[2 * d];
    const int64_t most = (s.total + MOST_CHUNKS - 1) / MOST_CHUNKS;
    s.chunk = most > CHUNK ? most : CHUNK;
    const int64_t chunks = (s.total + s.chunk - 1) / s.chunk;
    if (chunks < 2 || facula_threads() == 1 || plan->dims != 1 || plan->nest[1] != 1) {
        find(&s, 0, s.total, 0, room);
        return FACULA_OK;
    }
    facula_parallel(chunks, count_chunk, &s);
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        s.start[chunk + 1] += s.start[chunk];
        s.start[chunk + 1] = s.start[chunk + 1] < room ? s.start[chunk + 1] : room;
    }
    facula_parallel(chunks, find_chunk, &s);
    return FACULA_OK;
}

static int64_t positions(const void *plan, int64_t *args)
{
    return search(plan, args, 0);
}

static int64_t coordinates(const void *plan, int64_t *args)
{
    return search(plan, args, ((const struct facula_positions *)plan)->columns);
}

FACULA_KERNEL("nonzero_flat", positions, 0, 0)
FACULA_KERNEL("nonzero", coordinates, 0, 0)
