/* States of reductions: `add` folds element i, `join` a state of other elements; `value` and `place` are the results.

   States are wider than elements: sums of float32 and halves are doubles, and a sum of float64 has its rounding error
   beside it, as on the CPU. */
#pragma once
#include "facula/typed.cuh"

template <int in, int out> struct sum_of { /* of integers and bool, which wrap around */
    uint64_t sum;
    ALWAYS_INLINE void start() { sum = 0; }
    ALWAYS_INLINE void add(typename element<in>::number x, int64_t) { sum += (uint64_t)(int64_t)x; }
    ALWAYS_INLINE void join(const sum_of &other) { sum += other.sum; }
    ALWAYS_INLINE typename element<out>::number value(double, int64_t) const
    {
        return (typename element<out>::number)sum;
    }
};
struct sum_of_doubles {
    double sum;
    ALWAYS_INLINE void start() { sum = 0; }
    ALWAYS_INLINE void add(double x, int64_t) { sum += x; }
    ALWAYS_INLINE void join(const sum_of_doubles &other) { sum += other.sum; }
    ALWAYS_INLINE float value(double, int64_t) const { return (float)sum; }
};
template <> struct sum_of<FLOAT16, FLOAT16> : sum_of_doubles {};
template <> struct sum_of<BFLOAT16, BFLOAT16> : sum_of_doubles {};
template <> struct sum_of<FLOAT32, FLOAT32> : sum_of_doubles {};
template <> struct sum_of<FLOAT64, FLOAT64> {
    double sum, error;
    ALWAYS_INLINE void start() { sum = error = 0; }
    ALWAYS_INLINE void add(double x, int64_t)
    {
        const double before = sum, part = (sum = before + x) - before, lost = (before - (sum - part)) + (x - part);
        error += lost == lost ? lost : 0; /* NaN beside an infinite sum */
    }
    ALWAYS_INLINE void join(const sum_of &other)
    {
        add(other.sum, 0);
        error += other.error;
    }
    ALWAYS_INLINE double value(double, int64_t) const { return sum + error; }
};

template <class C, class S> struct sum_of_complex { /* S: the state of a part's sum */
    S real, imaginary;
    ALWAYS_INLINE void start()
    {
        real.start();
        imaginary.start();
    }
    ALWAYS_INLINE void add(C x, int64_t i)
    {
        real.add(x.real, i);
        imaginary.add(x.imaginary, i);
    }
    ALWAYS_INLINE void join(const sum_of_complex &other)
    {
        real.join(other.real);
        imaginary.join(other.imaginary);
    }
    ALWAYS_INLINE C value(double, int64_t) const { return {real.value(0, 0), imaginary.value(0, 0)}; }
};
template <> struct sum_of<COMPLEX64, COMPLEX64> : sum_of_complex<complex64_t, sum_of<FLOAT32, FLOAT32>> {};
template <> struct sum_of<COMPLEX128, COMPLEX128> : sum_of_complex<complex128_t, sum_of<FLOAT64, FLOAT64>> {};

template <int in, int out> struct product_of {
    uint64_t product;
    ALWAYS_INLINE void start() { product = 1; }
    ALWAYS_INLINE void add(typename element<in>::number x, int64_t) { product *= (uint64_t)(int64_t)x; }
    ALWAYS_INLINE void join(const product_of &other) { product *= other.product; }
    ALWAYS_INLINE typename element<out>::number value(double, int64_t) const
    {
        return (typename element<out>::number)product;
    }
};
template <class R> struct product_of_doubles {
    double product;
    ALWAYS_INLINE void start() { product = 1; }
    ALWAYS_INLINE void add(double x, int64_t) { product *= x; }
    ALWAYS_INLINE void join(const product_of_doubles &other) { product *= other.product; }
    ALWAYS_INLINE R value(double, int64_t) const { return (R)product; }
};
template <> struct product_of<FLOAT16, FLOAT16> : product_of_doubles<float> {};
template <> struct product_of<BFLOAT16, BFLOAT16> : product_of_doubles<float> {};
template <> struct product_of<FLOAT32, FLOAT32> : product_of_doubles<float> {};
template <> struct product_of<FLOAT64, FLOAT64> : product_of_doubles<double> {};
template <class C> struct product_of_complex {
    double real, imaginary;
    ALWAYS_INLINE void start()
    {
        real = 1;
        imaginary = 0;
    }
    ALWAYS_INLINE void times(double a, double b)
    {
        const double before = real;
        real = before * a - imaginary * b;
        imaginary = before * b + imaginary * a;
    }
    ALWAYS_INLINE void add(C x, int64_t) { times(x.real, x.imaginary); }
    ALWAYS_INLINE void join(const product_of_complex &other) { times(other.real, other.imaginary); }
    ALWAYS_INLINE C value(double, int64_t) const { return {(decltype(C::real))real, (decltype(C::real))imaginary}; }
};
template <> struct product_of<COMPLEX64, COMPLEX64> : product_of_complex<complex64_t> {};
template <> struct product_of<COMPLEX128, COMPLEX128> : product_of_complex<complex128_t> {};

/* The extreme and where it is first. NaN is the extreme. `sign` is 1 for the maximum, -1 for the minimum. */
template <int in, int sign> struct extreme_of {
    typename element<in>::number found;
    int64_t at; /* -1: no element yet */
    ALWAYS_INLINE void start()
    {
        found = 0;
        at = -1;
    }
    ALWAYS_INLINE void take(typename element<in>::number x, int64_t i)
    {
        const bool nan = x != x, had_nan = found != found, beyond = sign > 0 ? x > found : x < found;
        const bool same = x == found || (nan && had_nan);
        if (at < 0 || (!had_nan && (nan || beyond)) || (same && i < at)) {
            found = x;
            at = i;
        }
    }
    ALWAYS_INLINE void add(typename element<in>::number x, int64_t i) { take(x, i); }
    ALWAYS_INLINE void join(const extreme_of &other)
    {
        if (other.at >= 0)
            take(other.found, other.at);
    }
    ALWAYS_INLINE typename element<in>::number value(double, int64_t) const { return found; }
    ALWAYS_INLINE int64_t place() const { return at; }
};

template <class N> static ALWAYS_INLINE int is_true(N x) { return x != 0; }
template <class R> static ALWAYS_INLINE int is_true(complex_number<R> x) { return is_not_zero(x); }

template <int in, int all> struct truth_of {
    int holds;
    ALWAYS_INLINE void start() { holds = all; }
    ALWAYS_INLINE void add(typename element<in>::number x, int64_t)
    {
        holds = all ? holds & is_true(x) : holds | is_true(x);
    }
    ALWAYS_INLINE void join(const truth_of &other) { holds = all ? holds & other.holds : holds | other.holds; }
    ALWAYS_INLINE uint8_t value(double, int64_t) const { return (uint8_t)holds; }
};

/* The variance, by B. P. Welford's update for elements and the formulas of T. F. Chan, G. H. Golub and R. J. LeVeque
   for states (Updating formulae and a pairwise algorithm, 1979). The number is the correction; `root`: the
   deviation. The squares of a complex number are those of its parts. */
template <int out> struct moments_of {
    double count, mean, squares;
    ALWAYS_INLINE void start() { count = mean = squares = 0; }
    ALWAYS_INLINE void add(double x, int64_t)
    {
        const double apart = x - mean;
        count += 1;
        mean += apart / count;
        squares += apart * (x - mean);
    }
    ALWAYS_INLINE void join(const moments_of &other)
    {
        if (other.count == 0)
            return;
        const double apart = count > 0 ? other.mean - mean : 0, together = count + other.count;
        const double share = other.count / together;
        mean = count > 0 ? mean + apart * share : other.mean;
        squares += other.squares + apart * apart * count * share;
        count = together;
    }
    ALWAYS_INLINE typename element<out>::number value(double correction, int64_t root) const
    {
        const double rest = count - correction, variance = squares / (rest > 0 ? rest : 0);
        return (typename element<out>::number)(root ? sqrt(variance) : variance);
    }
};
template <int out> struct complex_moments_of {
    moments_of<out> real, imaginary;
    ALWAYS_INLINE void start()
    {
        real.start();
        imaginary.start();
    }
    template <class C> ALWAYS_INLINE void add(C x, int64_t i)
    {
        real.add(x.real, i);
        imaginary.add(x.imaginary, i);
    }
    ALWAYS_INLINE void join(const complex_moments_of &other)
    {
        real.join(other.real);
        imaginary.join(other.imaginary);
    }
    ALWAYS_INLINE typename element<out>::number value(double correction, int64_t root) const
    {
        moments_of<out> both = real;
        both.squares += imaginary.squares;
        return both.value(correction, root);
    }
};

template <int out> struct norm_of {
    double squares;
    ALWAYS_INLINE void start() { squares = 0; }
    ALWAYS_INLINE void add(double x, int64_t) { squares += x * x; }
    template <class R> ALWAYS_INLINE void add(complex_number<R> x, int64_t i)
    {
        add(x.real, i);
        add(x.imaginary, i);
    }
    ALWAYS_INLINE void join(const norm_of &other) { squares += other.squares; }
    ALWAYS_INLINE typename element<out>::number value(double, int64_t) const
    {
        return (typename element<out>::number)sqrt(squares);
    }
};

/* The p-norm, or for p = 0 the number of elements that are not 0. The powers that are added are those of shares of the
   decisive magnitude so far, `scale`: the greatest one, or for p < 0 the least. So they do not overflow, and what
   underflows is negligible. Powers below one half need no scale. For infinite p, the total is the decisive magnitude. */
template <int out> struct power_norm_of {
    double p, total, scale; /* scale: 0 if shares are the magnitudes */
    ALWAYS_INLINE void start(double number)
    {
        p = number;
        total = p == -__builtin_inf() ? __builtin_inf() : 0;
        scale = 0;
    }
    ALWAYS_INLINE bool is_infinite() const { return fabs(p) == __builtin_inf(); }
    ALWAYS_INLINE void decide(double magnitude)
    {
        if (total == total && !(p < 0 ? magnitude >= total : magnitude <= total))
            total = magnitude;
    }
    /* Change the scale. */
    ALWAYS_INLINE void move(double magnitude)
    {
        if (scale && total < __builtin_inf())
            total *= pow(scale / magnitude, p);
        scale = magnitude;
    }
    ALWAYS_INLINE bool is_beyond(double magnitude) const
    {
        return scale == 0 || (p > 0 ? magnitude > scale : magnitude < scale);
    }
    ALWAYS_INLINE void add(double x, int64_t)
    {
        const double magnitude = fabs(x);
        if (is_infinite())
            return decide(magnitude);
        if (fabs(p) >= 0.5 && magnitude > 0 && magnitude < __builtin_inf() && is_beyond(magnitude))
            move(magnitude);
        const double share = scale ? magnitude / scale : magnitude;
        total += p == 0 ? share != 0 : p == 1 ? share : p == 3 ? share * share * share : pow(share, p);
    }
    ALWAYS_INLINE void join(power_norm_of other)
    {
        if (is_infinite())
            return decide(other.total);
        if (other.scale && is_beyond(other.scale))
            move(other.scale);
        else if (other.scale)
            other.move(scale);
        total += other.total;
    }
    ALWAYS_INLINE typename element<out>::number value(double, int64_t) const
    {
        const double norm = p == 0 || p == 1 || is_infinite() ? total : pow(total, 1 / p);
        return (typename element<out>::number)(scale ? norm * scale : norm);
    }
};

/* log(sum(exp(x))), from the greatest finite element so far, and the sum of exp(x - greatest), which is infinite or NaN if
   an element is. */
template <int out> struct log_sum_of {
    double greatest, total;
    ALWAYS_INLINE void start()
    {
        greatest = -__builtin_inf();
        total = 0;
    }
    ALWAYS_INLINE void move(double x)
    {
        if (x > greatest) {
            if (total > 0 && total < __builtin_inf())
                total *= exp(greatest - x);
            greatest = x;
        }
    }
    ALWAYS_INLINE void add(double x, int64_t)
    {
        if (x - x == 0) {
            move(x);
            total += exp(x - greatest);
        } else if (!(x < 0)) {
            total += x;
        }
    }
    ALWAYS_INLINE void join(log_sum_of other)
    {
        move(other.greatest);
        other.move(greatest);
        total += other.total;
    }
    ALWAYS_INLINE typename element<out>::number value(double, int64_t) const
    {
        return (typename element<out>::number)(log(total) + (greatest > -__builtin_inf() ? greatest : 0));
    }
};

/* Begin a state; only that of norms depends on the reduction's number. */
template <class S> static ALWAYS_INLINE void begin(S &state, double) { state.start(); }
template <int out> static ALWAYS_INLINE void begin(power_norm_of<out> &state, double number) { state.start(number); }
