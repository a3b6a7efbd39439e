/* exact.h: reductions whose result does not depend on the order of what is reduced, nor on who has
 * which part of it: keys of extremes, and sums of parts of values that have no rounding error.
 *
 * For C of the host and for kernels of a GPU; bridge/bound/rankreductions.py does the same.
 */
#ifndef BRIDGE_KERNELS_EXACT_H
#define BRIDGE_KERNELS_EXACT_H

#ifdef __CUDACC__
#define BRIDGE_EXACT __device__ __forceinline__
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define BRIDGE_EXACT static inline
#endif

enum { BRIDGE_EXACT_PARTS = 3 };

/* How the values of a component are cut into parts: adding grain[i] and taking it away leaves part i,
 * a multiple of 2**last[i], of what the parts before have left. Values are multiplied by 2**-shift
 * before. measured: the largest magnitude of what is added; where that is 0, infinite or NaN it is the sum, and
 * there are no parts. */
typedef struct {
    double grain[BRIDGE_EXACT_PARTS], measured;
    int last[BRIDGE_EXACT_PARTS], shift;
} bridge_grains;

/* Integers in the order of numbers: NaN is above all of them, no number below. */
#define BRIDGE_NO_KEY (-9223372036854775807LL - 1)
#define BRIDGE_NAN_KEY 9223372036854775807LL

#ifdef __CUDACC__
BRIDGE_EXACT long long bridge_bits(double x) { return __double_as_longlong(x); }
BRIDGE_EXACT double bridge_of_bits(long long bits) { return __longlong_as_double(bits); }
#else
BRIDGE_EXACT long long bridge_bits(double x) {
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
BRIDGE_EXACT double bridge_of_bits(long long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

BRIDGE_EXACT long long bridge_key(double x) {
    long long bits;
    if (x != x) return BRIDGE_NAN_KEY;
    bits = bridge_bits(x + 0.0); /* zeros have no sign */
    return bits < 0 ? bits ^ 0x7fffffffffffffffLL : bits;
}

BRIDGE_EXACT double bridge_of_key(long long key, double none) {
    if (key == BRIDGE_NO_KEY) return none;
    if (key == BRIDGE_NAN_KEY) return bridge_of_bits(0x7ff8000000000000LL);
    return bridge_of_bits(key < 0 ? key ^ 0x7fffffffffffffffLL : key);
}

/* Of a component whose extremes have these keys, `low` that of the least value with its sign changed; points: of
 * all who have some; square: squares are added, with `signs` the values themselves, else magnitudes. */
BRIDGE_EXACT bridge_grains bridge_exact_grains(long long high, long long low, long long points,
                                               int square, int signs) {
    const double infinite = bridge_of_bits(0x7ff0000000000000LL);
    const double most = bridge_of_key(high, 0.0), least = -bridge_of_key(low, 0.0);
    double largest = fabs(most) > fabs(least) ? fabs(most) : fabs(least);
    bridge_grains grains = {{0.0, 0.0, 0.0}, 0.0, {0, 0, 0}, 0};
    int exponent, bits = 0, last, i;
    if (most != most || least != least) largest = bridge_of_bits(0x7ff8000000000000LL);
    grains.measured = square ? largest * largest : largest;
    if (signs && grains.measured == infinite && least == -infinite)
        grains.measured = most == infinite ? bridge_of_bits(0x7ff8000000000000LL) : least;
    if (!(grains.measured > 0.0 && grains.measured < infinite)) return grains;
    frexp(grains.measured, &exponent);
    while (bits < 63 && points >> bits) ++bits;
    if (bits < 2) bits = 2;
    grains.shift = exponent + bits > 1000 ? exponent + bits - 1000 : 0;
    grains.shift += grains.shift % 2; /* a square is divided through its root */
    last = exponent - grains.shift;
    for (i = 0; i < BRIDGE_EXACT_PARTS; ++i) {
        last += bits + 1 - 53; /* sums of `points` multiples of 2**last are exact */
        grains.last[i] = last;
        grains.grain[i] = ldexp(1.5, last + 52);
        --last; /* what is left has half of it at most */
    }
    return grains;
}

BRIDGE_EXACT int bridge_has_parts(const bridge_grains* grains) {
    return grains->measured > 0.0 && grains->measured < bridge_of_bits(0x7ff0000000000000LL);
}

/* What values are multiplied by before they are measured and cut. */
BRIDGE_EXACT double bridge_exact_factor(const bridge_grains* grains, int square) {
    return ldexp(1.0, square ? -(grains->shift / 2) : -grains->shift);
}

/* Numbers added one after the other without error, as their sum in pieces that do not overlap. */
enum { BRIDGE_EXACT_PIECES = 64 };
typedef struct {
    double piece[BRIDGE_EXACT_PIECES];
    int n;
} bridge_exact_sum;

BRIDGE_EXACT void bridge_exact_add(bridge_exact_sum* sum, double x) {
    int kept = 0, i;
    for (i = 0; i < sum->n; ++i) {
        double y = sum->piece[i], high, low;
        if (fabs(x) < fabs(y)) {
            high = x;
            x = y;
            y = high;
        }
        high = x + y;
        low = y - (high - x);
        if (low != 0.0) sum->piece[kept++] = low;
        x = high;
    }
    if (x != 0.0) sum->piece[kept++] = x;
    sum->n = kept;
}

/* Rounded once, to the nearest number. */
BRIDGE_EXACT double bridge_exact_rounded(const bridge_exact_sum* sum) {
    int n = sum->n;
    double high = n > 0 ? sum->piece[--n] : 0.0, low = 0.0;
    while (n > 0 && low == 0.0) {
        const double x = high, y = sum->piece[--n];
        high = x + y;
        low = y - (high - x);
    }
    /* half-way cases look at what lies below */
    if (n > 0 &&
        ((low < 0.0 && sum->piece[n - 1] < 0.0) || (low > 0.0 && sum->piece[n - 1] > 0.0))) {
        const double y = low * 2.0, x = high + y;
        if (y == x - high) high = x;
    }
    return high;
}

/* Of all components; parts: their sums, in units of 2**last. */
BRIDGE_EXACT double bridge_exact_total(const bridge_grains* grains, const long long* parts,
                                       int components, int root) {
    bridge_exact_sum sum;
    double plain = 0.0, total;
    int shift = 0, finite = 1, c, i;
    sum.n = 0;
    for (c = 0; c < components; ++c)
        if (bridge_has_parts(&grains[c]) && grains[c].shift > shift) shift = grains[c].shift;
    for (c = 0; c < components; ++c) {
        if (!bridge_has_parts(&grains[c])) { /* zero, or what no sum changes */
            finite &= grains[c].measured == 0.0;
            plain += grains[c].measured;
            continue;
        }
        for (i = 0; i < BRIDGE_EXACT_PARTS; ++i) {
            const double part =
                ldexp((double)parts[BRIDGE_EXACT_PARTS * c + i], grains[c].last[i]);
            bridge_exact_add(&sum, ldexp(part, grains[c].shift - shift));
        }
    }
    total = finite ? ldexp(bridge_exact_rounded(&sum), shift) : plain;
    if (total != total) return bridge_of_bits(0x7ff8000000000000LL);
    return root ? sqrt(total) : total;
}

#endif
