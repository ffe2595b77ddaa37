/* Complex numbers for complex.inc of facula_cpu: a struct of two parts, C's arithmetic, and C's functions by their formulas
   on real parts. */
#pragma once
#include <math.h>

#include "elements/math/exponents.h"
#include "facula/words.h"

template <class R> struct alignas(2 * sizeof(R)) complex_number {
    R real, imaginary;
};
typedef complex_number<float> complex64_t;
typedef complex_number<double> complex128_t;

#define COMPLEX_OPERATOR template <class R> static ALWAYS_INLINE
#define COMPLEX complex_number<R>
COMPLEX_OPERATOR COMPLEX operator-(COMPLEX x) { return {-x.real, -x.imaginary}; }
COMPLEX_OPERATOR COMPLEX operator+(COMPLEX x, COMPLEX y) { return {x.real + y.real, x.imaginary + y.imaginary}; }
COMPLEX_OPERATOR COMPLEX operator-(COMPLEX x, COMPLEX y) { return {x.real - y.real, x.imaginary - y.imaginary}; }
COMPLEX_OPERATOR COMPLEX operator+(int x, COMPLEX y) { return {x + y.real, y.imaginary}; }
COMPLEX_OPERATOR COMPLEX operator-(int x, COMPLEX y) { return {x - y.real, -y.imaginary}; }
COMPLEX_OPERATOR COMPLEX operator*(COMPLEX x, R y) { return {x.real * y, x.imaginary * y}; }
COMPLEX_OPERATOR int operator==(COMPLEX x, COMPLEX y) { return (x.real == y.real) & (x.imaginary == y.imaginary); }
COMPLEX_OPERATOR int operator!=(COMPLEX x, COMPLEX y) { return (x.real != y.real) | (x.imaginary != y.imaginary); }

/* Conversions, as in cast.inc. */
COMPLEX_OPERATOR R real_part(COMPLEX x) { return x.real; }
COMPLEX_OPERATOR uint8_t is_not_zero(COMPLEX x) { return (x.real != 0) | (x.imaginary != 0); }
static ALWAYS_INLINE complex64_t narrowed(complex128_t x) { return {(float)x.real, (float)x.imaginary}; }
static ALWAYS_INLINE complex128_t widened(complex64_t x) { return {x.real, x.imaginary}; }

/* The names that complex.inc uses, for both types. */
namespace complex_functions {
#define OF_REAL(name)                                                  \
    static ALWAYS_INLINE float name(float x) { return ::name##f(x); }  \
    static ALWAYS_INLINE double name(double x) { return ::name(x); }
#define OF_REALS(name)                                                                \
    static ALWAYS_INLINE float name(float x, float y) { return ::name##f(x, y); }     \
    static ALWAYS_INLINE double name(double x, double y) { return ::name(x, y); }
OF_REAL(fabs)
OF_REAL(floor)
OF_REAL(exp)
OF_REAL(expm1)
OF_REAL(log)
OF_REAL(log1p)
OF_REAL(asinh)
OF_REAL(sin)
OF_REAL(cos)
OF_REAL(sinh)
OF_REAL(cosh)
OF_REAL(sqrt)
OF_REALS(hypot)
OF_REALS(atan2)
OF_REALS(copysign)
#undef OF_REAL
#undef OF_REALS

COMPLEX_OPERATOR R creal(COMPLEX x) { return x.real; }
COMPLEX_OPERATOR R cimag(COMPLEX x) { return x.imaginary; }
static ALWAYS_INLINE float cabs(complex64_t x) { return hypot_float32(x.real, x.imaginary); }
static ALWAYS_INLINE double cabs(complex128_t x) { return hypot_float64(x.real, x.imaginary); }
COMPLEX_OPERATOR COMPLEX conj(COMPLEX x) { return {x.real, -x.imaginary}; }
template <class R> static ALWAYS_INLINE int is_finite(R x) { return x - x == 0; }
template <class R> static ALWAYS_INLINE int is_infinite(R x) { return x == x && x - x != 0; }

/* exp(x + iy) = exp(x) (cos(y) + i sin(y)), in two factors where exp(x) alone would overflow. */
COMPLEX_OPERATOR COMPLEX cexp(COMPLEX x)
{
    const R a = x.real, b = x.imaginary, most = sizeof(R) == 4 ? 88 : 709;
    if (b == 0)
        return {exp(a), b};
    if (!is_finite(b)) {
        if (a < 0 && is_infinite(a))
            return {0, copysign((R)0, b)};
        return {is_infinite(a) ? a : b - b, b - b};
    }
    if (a < 0 && is_infinite(a))
        return {copysign((R)0, cos(b)), copysign((R)0, sin(b))};
    if (!(a > most) || is_infinite(a))
        return {exp(a) * cos(b), exp(a) * sin(b)};
    const R half = exp(a / 2);
    return {half * cos(b) * half, half * sin(b) * half};
}

/* log(x + iy): near a modulus of 1, by log1p of its square minus 1. */
COMPLEX_OPERATOR COMPLEX clog(COMPLEX x)
{
    const R a = fabs(x.real), b = fabs(x.imaginary), large = a > b ? a : b, small = a > b ? b : a;
    const R angle = atan2(x.imaginary, x.real);
    if (large >= (R)0.5 && large < 2 && small < 1)
        return {log1p((large - 1) * (large + 1) + small * small) / 2, angle};
    if (a == 0 && b == 0)
        return {log(a), angle};
    if (is_finite(large) && (large > (sizeof(R) == 4 ? (R)1e38 : (R)1e307)))
        return {log(hypot(large / 2, small / 2)) + (R)0.693147180559945309417, angle};
    return {log(hypot(a, b)), angle};
}

COMPLEX_OPERATOR COMPLEX csqrt(COMPLEX x)
{
    const R a = x.real, b = x.imaginary;
    if (a == 0 && b == 0)
        return {0, b};
    if (is_infinite(b))
        return {fabs(b), b};
    if (is_infinite(a)) {
        const R other = b == b ? copysign((R)0, b) : b;
        return a > 0 ? COMPLEX{a, other} : COMPLEX{fabs(other), copysign(-a, b)};
    }
    /* A power of four that keeps the modulus in range. */
    const R scale = fabs(a) > 1 || fabs(b) > 1 ? (R)0.25 : (R)(sizeof(R) == 4 ? 0x1p24 : 0x1p54);
    const R back = fabs(a) > 1 || fabs(b) > 1 ? 2 : (R)(sizeof(R) == 4 ? 0x1p-12 : 0x1p-27);
    const R s = a * scale, t = b * scale, root = sqrt((fabs(s) + hypot(s, t)) / 2), rest = t / (2 * root);
    return a >= 0 ? COMPLEX{root * back, rest * back} : COMPLEX{fabs(rest) * back, copysign(root, b) * back};
}

/* sinh(x + iy) = sinh(x) cos(y) + i cosh(x) sin(y), and what follows from it. Zeros stay exact. Where y is no number, the
   parts are those of C11, G.6.2. */
COMPLEX_OPERATOR COMPLEX csinh(COMPLEX x)
{
    const R a = x.real, b = x.imaginary;
    if (b == 0)
        return {sinh(a), b};
    if (a == 0)
        return {a, sin(b)};
    if (is_infinite(a) && !is_finite(b))
        return {fabs(a), b - b};
    return {sinh(a) * cos(b), cosh(a) * sin(b)};
}
COMPLEX_OPERATOR COMPLEX ccosh(COMPLEX x)
{
    const R a = x.real, b = x.imaginary;
    if (b == 0)
        return {cosh(a), b * copysign((R)1, a)};
    if (a == 0)
        return {cos(b), is_finite(b) ? a * sin(b) : fabs(a)};
    if (is_infinite(a) && !is_finite(b))
        return {fabs(a), b - b};
    return {cosh(a) * cos(b), sinh(a) * sin(b)};
}
COMPLEX_OPERATOR COMPLEX ctanh(COMPLEX x)
{
    const R a = x.real, b = x.imaginary, c = cos(b), s = sin(b);
    if (is_infinite(a))
        return {copysign((R)1, a), copysign((R)0, is_finite(b) ? s * c : b)};
    if (!is_finite(b))
        return {a == 0 ? a : b - b, b - b};
    if (fabs(a) > 20)
        return {copysign((R)1, a), 4 * s * c * exp(-2 * fabs(a))};
    if (b == 0)
        return {sinh(a) / cosh(a), b};
    const R size = sinh(a), below = size * size + c * c;
    return {size * cosh(a) / below, s * c / below};
}
COMPLEX_OPERATOR COMPLEX csin(COMPLEX x)
{
    const COMPLEX turned = csinh(COMPLEX{-x.imaginary, x.real});
    return {turned.imaginary, -turned.real};
}
COMPLEX_OPERATOR COMPLEX ccos(COMPLEX x) { return ccosh(COMPLEX{-x.imaginary, x.real}); }
COMPLEX_OPERATOR COMPLEX ctan(COMPLEX x)
{
    const COMPLEX turned = ctanh(COMPLEX{-x.imaginary, x.real});
    return {turned.imaginary, -turned.real};
}
COMPLEX_OPERATOR COMPLEX cpow(COMPLEX x, COMPLEX y)
{
    const COMPLEX log_x = clog(x);
    return cexp(COMPLEX{log_x.real * y.real - log_x.imaginary * y.imaginary,
                        log_x.real * y.imaginary + log_x.imaginary * y.real});
}

/* Inverse functions: W. Kahan, Branch cuts for complex elementary functions, 1987; beyond `LARGE` the first terms of
   their series. Where a part is no number or infinite, the results are those of C11, G.6. */
#define HALF_PI ((R)1.57079632679489661923)
#define LOG_2 ((R)0.693147180559945309417)
#define LARGE ((R)1e9)

/* sqrt(1 - x) and sqrt(1 + x). */
COMPLEX_OPERATOR void roots_around(COMPLEX x, COMPLEX &below, COMPLEX &above)
{
    below = csqrt(1 - x);
    above = csqrt(1 + x);
}
COMPLEX_OPERATOR COMPLEX casinh(COMPLEX x)
{
    const R a = x.real, b = x.imaginary;
    if (is_infinite(a))
        return {a, is_infinite(b) ? copysign(HALF_PI / 2, b) : b == b ? copysign((R)0, b) : b};
    if (is_infinite(b))
        return {copysign(b, a), a == a ? copysign(HALF_PI, b) : a};
    if (a != a || b != b)
        return {a + b, b == 0 ? b : a + b};
    if (fabs(a) > LARGE || fabs(b) > LARGE) {
        const COMPLEX log_x = clog(COMPLEX{fabs(a), b});
        return {copysign(log_x.real + LOG_2, a), log_x.imaginary};
    }
    COMPLEX below, above; /* of i x, whose arc sine is i times the result */
    roots_around(COMPLEX{-b, a}, below, above);
    return {asinh(below.real * above.imaginary - below.imaginary * above.real),
            atan2(b, below.real * above.real - below.imaginary * above.imaginary)};
}
COMPLEX_OPERATOR COMPLEX cacos(COMPLEX x)
{
    const R a = x.real, b = x.imaginary;
    if (is_infinite(a))
        return {b == b ? atan2(is_infinite(b) ? HALF_PI : 0, copysign(HALF_PI, a)) : b, b == b ? copysign(a, -b) : -fabs(a)};
    if (is_infinite(b))
        return {a == a ? HALF_PI : a, -b};
    if (a != a || b != b)
        return {a == 0 ? HALF_PI : a + b, a + b};
    if (fabs(a) > LARGE || fabs(b) > LARGE) {
        const COMPLEX log_x = clog(COMPLEX{a, fabs(b)});
        return {log_x.imaginary, copysign(log_x.real + LOG_2, -b)};
    }
    COMPLEX below, above;
    roots_around(x, below, above);
    return {2 * atan2(below.real, above.real), asinh(above.real * below.imaginary - above.imaginary * below.real)};
}
COMPLEX_OPERATOR COMPLEX catanh(COMPLEX x)
{
    const R a = fabs(x.real), b = x.imaginary, most = sizeof(R) == 4 ? (R)1e17 : (R)1e100;
    if (is_infinite(a) || is_infinite(b))
        return {copysign((R)0, x.real), b == b ? copysign(HALF_PI, b) : b};
    if (a != a || b != b)
        return {a == 0 ? x.real : a + b, a + b};
    if (a > most || fabs(b) > most) {
        const R size = hypot(a, b);
        return {copysign(a / size / size, x.real), copysign(HALF_PI, b)};
    }
    const R apart = hypot(1 - a, b), square = (1 - a) * (1 - a) + b * b;
    const R size = apart < 1 / most ? (LOG_2 - log(apart)) / 2 : log1p(4 * a / square) / 4;
    return {copysign(size, x.real), atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2};
}
COMPLEX_OPERATOR COMPLEX cacosh(COMPLEX x)
{
    const COMPLEX turned = cacos(x);
    return {fabs(turned.imaginary), copysign(turned.real, x.imaginary)};
}
COMPLEX_OPERATOR COMPLEX casin(COMPLEX x)
{
    const COMPLEX turned = casinh(COMPLEX{-x.imaginary, x.real});
    return {turned.imaginary, -turned.real};
}
COMPLEX_OPERATOR COMPLEX catan(COMPLEX x)
{
    const COMPLEX turned = catanh(COMPLEX{-x.imaginary, x.real});
    return {turned.imaginary, -turned.real};
}
#undef HALF_PI
#undef LOG_2
#undef LARGE
} // namespace complex_functions
#undef COMPLEX_OPERATOR
#undef COMPLEX
