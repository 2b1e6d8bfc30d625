/* Arithmetic with the meaning Python gives it, shared by every emitted program. */
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
/* gcc 12 takes 0.0 - fabs(a) for -fabs(a), which is -0.0 where it should be 0.0; not with this option. */
#pragma GCC optimize ("rounding-math")
#endif

/* Same arguments, same value, no effects: calls repeated by `outputs` and `update` are made once. */
#define HS_PURE __attribute__((const))
HS_PURE double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);
HS_PURE double sinh(double), cosh(double), tanh(double), asinh(double), acosh(double), atanh(double);
HS_PURE double exp(double), expm1(double), log(double), log10(double), log2(double), log1p(double);
HS_PURE double pow(double, double), fmod(double, double);

#define HS_NAN __builtin_nan("")
#define HS_INF __builtin_inf()
#define HS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#ifdef HS_CHECKED /* indices proved to lie inside are checked all the same */
static inline int64_t hs_proved(int64_t i, int64_t n) { if (i < 0 || i >= n) __builtin_trap(); return i; }
#define HS_PROVED(i, n) hs_proved((i), (n))
#else
#define HS_PROVED(i, n) (i)
#endif

/* The first fault of a tick is kept: the number of the place in the source it came from. */
static inline int64_t hs_index(int64_t i, int64_t n, int64_t *fault, int64_t place) {
    if (HS_UNLIKELY((uint64_t)i >= (uint64_t)n)) { if (!*fault) *fault = place; return 0; }
    return i;
}

static inline int64_t hs_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t hs_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t hs_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t hs_neg(int64_t a) { return (int64_t)(0u - (uint64_t)a); }
static inline int64_t hs_iabs(int64_t a) { return a < 0 ? hs_neg(a) : a; }

static inline int64_t hs_ifloordiv(int64_t a, int64_t b, int64_t *fault, int64_t place) {
    if (HS_UNLIKELY(b == 0)) { if (!*fault) *fault = place; return 0; }
    if (b == -1) return hs_neg(a);
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static inline int64_t hs_imod(int64_t a, int64_t b, int64_t *fault, int64_t place) {
    if (HS_UNLIKELY(b == 0)) { if (!*fault) *fault = place; return 0; }
    if (b == -1) return 0;
    int64_t m = a % b;
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

/* The number of rounds of range(start, stop, step); none after a fault. */
static inline uint64_t hs_rounds(int64_t start, int64_t stop, int64_t step, int64_t *fault, int64_t place) {
    if (HS_UNLIKELY(step == 0 && !*fault)) *fault = place;
    if (HS_UNLIKELY(*fault)) return 0;
    if (step > 0) return start < stop ? ((uint64_t)stop - (uint64_t)start - 1u) / (uint64_t)step + 1u : 0;
    return start > stop ? ((uint64_t)start - (uint64_t)stop - 1u) / (0u - (uint64_t)step) + 1u : 0;
}

/* Towards zero; saturates, and NaN gives 0. The empty asm keeps gcc from making (double)hs_int(a) a trunc(a),
   which would give -0.0 for a = -0.5. */
static inline int64_t hs_int(double a) {
    if (HS_UNLIKELY(!(a >= -9223372036854775808.0 && a < 9223372036854775808.0)))
        return a != a ? 0 : a > 0.0 ? INT64_MAX : INT64_MIN;
    int64_t i = (int64_t)a;
    __asm__("" : "+r"(i));
    return i;
}

/* (double)hs_int(a) at once, which saves the way to an integer and back; + 0.0 makes 0.0 of -0.0. */
static inline double hs_whole(double a) {
    if (HS_UNLIKELY(!(__builtin_fabs(a) < 9223372036854775808.0)))
        return a != a ? 0.0 : a > 0.0 ? 9223372036854775808.0 : -9223372036854775808.0;
    return __builtin_trunc(a) + 0.0;
}

/* How an integer lies to a float: below 0, 0 or above, by their exact values; NaN beside NaN.
   Rounding the integer can turn "less" or "greater" into "equal", never into each other. */
static inline double hs_order(int64_t a, double b) {
    double d = (double)a;
    if (d != b) return d < b ? -1.0 : d > b ? 1.0 : HS_NAN;
    if (b >= 9223372036854775808.0) return -1.0;
    return a < (int64_t)b ? -1.0 : a > (int64_t)b ? 1.0 : 0.0;
}

/* a / b of integers, rounded once: exact bits of the quotient until more than a double holds, the rest in the last. */
static inline double hs_ratio(int64_t a, int64_t b) {
    const int64_t exact = INT64_C(1) << 53;
    if (a == 0 || b == 0 || (-exact <= a && a <= exact && -exact <= b && b <= exact)) return (double)a / (double)b;
    uint64_t n = a < 0 ? 0u - (uint64_t)a : (uint64_t)a, d = b < 0 ? 0u - (uint64_t)b : (uint64_t)b;
    uint64_t q = n / d, r = n % d;
    double scale = (a < 0) != (b < 0) ? -1.0 : 1.0;
    for (; q >> 54 == 0; scale *= 0.5) {
        const uint64_t bit = r >= d - r;
        q = q << 1 | bit;
        r = bit ? r - (d - r) : r << 1;
    }
    return (double)(q | (r != 0)) * scale;
}

static inline int hs_isnan(double a) { return a != a; }
static inline double hs_min(double a, double b) { return b < a ? b : a; }
static inline double hs_max(double a, double b) { return b > a ? b : a; }
static inline int64_t hs_imin(int64_t a, int64_t b) { return b < a ? b : a; }
static inline int64_t hs_imax(int64_t a, int64_t b) { return b > a ? b : a; }

/* Python's % and // of floats: the remainder has the sign of the divisor. */
static inline double hs_fmod(double a, double b) {
    if (b == 0.0) return HS_NAN;
    double m = fmod(a, b);
    if (m != 0.0) { if ((b < 0.0) != (m < 0.0)) m += b; } else m = __builtin_copysign(0.0, b);
    return m;
}
static inline double hs_ffloordiv(double a, double b) {
    if (b == 0.0) return HS_NAN;
    double m = fmod(a, b), d = (a - m) / b;
    if (m != 0.0) { if ((b < 0.0) != (m < 0.0)) d -= 1.0; }
    if (d == 0.0) return __builtin_copysign(0.0, a / b);
    double q = __builtin_floor(d);
    return d - q > 0.5 ? q + 1.0 : q;
}
