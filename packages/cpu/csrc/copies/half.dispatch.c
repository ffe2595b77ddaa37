/* Conversions between float32 and the half-precision types: copies, and the conversions around loops in the elementwise
   driver. */
#include "elements/casts.h"
#include "runtime/kernel.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

#define HALF(name, A_, R_, value)                                                   \
    static ALWAYS_INLINE R_ name##_of(A_ x) { return value(x); }                    \
    static void name(int64_t n, const int64_t *address, const int64_t *step)        \
    {                                                                               \
        name##_loop(n, address, step, name##_of);                                   \
    }

#define A uint16_t
#define R float
#define LOOP widen_bfloat16_loop
#include "loops/unary_loop.inc"
HALF(widen_bfloat16, uint16_t, float, float_of_bfloat16)

#define A float
#define R uint16_t
#define LOOP narrow_bfloat16_loop
#include "loops/unary_loop.inc"
HALF(narrow_bfloat16, float, uint16_t, bfloat16_of_float)

#define A uint16_t
#define R float
#define LOOP widen_float16_any_loop
#include "loops/unary_loop.inc"
HALF(widen_float16_any, uint16_t, float, float_of_float16)

#define A float
#define R uint16_t
#define LOOP narrow_float16_any_loop
#include "loops/unary_loop.inc"
HALF(narrow_float16_any, float, uint16_t, float16_of_float)

#define A uint16_t
#define R uint16_t
#define LOOP narrow_halves_loop
#include "loops/unary_loop.inc"
HALF(narrow_halves, uint16_t, uint16_t, bfloat16_of_float16)

/* From AVX2 on there are float16 instructions, which compute the same bits faster. */
static void widen_float16(int64_t n, const int64_t *address, const int64_t *step)
{
    int64_t done = 0;
#ifdef __F16C__
    if (step[0] == sizeof(uint16_t) && step[1] == sizeof(float))
        for (; done + 8 <= n; done += 8) {
            __m128i halves = _mm_loadu_si128((const __m128i *)(address[0] + done * 2));
            _mm256_storeu_ps((float *)(address[1] + done * 4), _mm256_cvtph_ps(halves));
        }
#endif
    int64_t rest[2] = {address[0] + done * step[0], address[1] + done * step[1]};
    widen_float16_any(n - done, rest, step);
}

static void narrow_float16(int64_t n, const int64_t *address, const int64_t *step)
{
    int64_t done = 0;
#ifdef __F16C__
    if (step[0] == sizeof(float) && step[1] == sizeof(uint16_t))
        for (; done + 8 <= n; done += 8) {
            __m256 floats = _mm256_loadu_ps((const float *)(address[0] + done * 4));
            _mm_storeu_si128((__m128i *)(address[1] + done * 2), _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
        }
#endif
    int64_t rest[2] = {address[0] + done * step[0], address[1] + done * step[1]};
    narrow_float16_any(n - done, rest, step);
}

FACULA_KERNEL("copy", widen_float16, 60, FLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_float16, 60, FLOAT32, FLOAT16)
FACULA_KERNEL("copy", widen_bfloat16, 60, BFLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_bfloat16, 60, FLOAT32, BFLOAT16)
FACULA_KERNEL("copy", narrow_halves, 60, FLOAT16, BFLOAT16)
