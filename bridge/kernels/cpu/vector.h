/* One register of numbers as a number: the text of `Lanes` and, with BRIDGE_OF_SINGLES, of
 * `SingleLanes`. Included once by lanes.h and once by singles.h, which have before it the vector
 * types, and after it what differs.
 *
 * Functions and no templates: what converts to a number, such as a product or a place in memory, is
 * an argument of them too.
 */
#ifdef BRIDGE_OF_SINGLES
#define BRIDGE_NUMBER SingleLanes
#define BRIDGE_TRUTH SingleMask
#define BRIDGE_WORD SingleBits
#define BRIDGE_VECTOR FloatVector
#define BRIDGE_INTEGERS WordVector
#define BRIDGE_REAL float
#define BRIDGE_INTEGER int32_t
#define BRIDGE_EPSILON __FLT_EPSILON__
#define BRIDGE_LARGEST __FLT_MAX__
#define BRIDGE_NAMED(prefix, name) prefix##name##_ps
#define BRIDGE_MOVEMASK _mm512_movepi32_mask
#else
#define BRIDGE_NUMBER Lanes
#define BRIDGE_TRUTH LaneMask
#define BRIDGE_WORD LaneBits
#define BRIDGE_VECTOR DoubleVector
#define BRIDGE_INTEGERS IntegerVector
#define BRIDGE_REAL double
#define BRIDGE_INTEGER int64_t
#define BRIDGE_EPSILON __DBL_EPSILON__
#define BRIDGE_LARGEST __DBL_MAX__
#define BRIDGE_NAMED(prefix, name) prefix##name##_pd
#define BRIDGE_MOVEMASK _mm512_movepi64_mask
#endif
#define BRIDGE_SIGN ((BRIDGE_INTEGER)1 << (8 * sizeof(BRIDGE_INTEGER) - 1))
#define BRIDGE_EVERY ((1 << 8 * BRIDGE_LANES / sizeof(BRIDGE_REAL)) - 1) /* a bit of each lane */

/* With every lane asked for these are the plain instructions; gcc's unmasked forms warn of an
 * uninitialised operand in its own header. */
#if BRIDGE_LANES == 8
#define BRIDGE_PLAIN(name, ...) BRIDGE_NAMED(_mm512_maskz_, name)(BRIDGE_EVERY, __VA_ARGS__)
#define BRIDGE_FUSED(name, a, b, c) BRIDGE_NAMED(_mm512_, name)((a).v, (b).v, (c).v)
#define BRIDGE_ROUND(x, mode) BRIDGE_PLAIN(roundscale, x, mode)
#elif BRIDGE_LANES == 4
#define BRIDGE_PLAIN(name, ...) BRIDGE_NAMED(_mm256_, name)(__VA_ARGS__)
#define BRIDGE_FUSED(name, a, b, c) BRIDGE_PLAIN(name, (a).v, (b).v, (c).v)
#define BRIDGE_ROUND(x, mode) BRIDGE_PLAIN(round, x, mode)
#else
#define BRIDGE_PLAIN(name, ...) BRIDGE_NAMED(_mm_, name)(__VA_ARGS__)
#define BRIDGE_ROUND(x, mode) BRIDGE_PLAIN(round, x, mode)
#endif

namespace BRIDGE_NAMESPACE {

/* ---- The three types --------------------------------------------------------------------- */

struct BRIDGE_NUMBER;

/* All ones where true, zero where false; the compiler makes mask registers of it. */
struct BRIDGE_TRUTH {
    BRIDGE_INTEGERS v;
    BRIDGE_TRUTH() = default;
    BRIDGE_INLINE explicit BRIDGE_TRUTH(BRIDGE_INTEGERS x) : v(x) {}
    BRIDGE_INLINE BRIDGE_TRUTH(bool x) : v(BRIDGE_INTEGERS{} - (BRIDGE_INTEGER)x) {}
};

/* One integer of 32 bits per point, in as many bits as a real has: what leaves the 32 is undefined,
 * as in Fortran. */
struct BRIDGE_WORD {
    BRIDGE_INTEGERS v;
    BRIDGE_WORD() = default;
    BRIDGE_INLINE explicit BRIDGE_WORD(BRIDGE_INTEGERS x) : v(x) {}
    BRIDGE_INLINE explicit BRIDGE_WORD(
        BRIDGE_NUMBER x); /* Fortran's int: the fraction is cut off */
    BRIDGE_INLINE BRIDGE_WORD(int x) : v(BRIDGE_INTEGERS{} + (BRIDGE_INTEGER)x) {}
    BRIDGE_INLINE BRIDGE_WORD(long x) : v(BRIDGE_INTEGERS{} + (BRIDGE_INTEGER)x) {}
    BRIDGE_WORD(double) = delete; /* n + 0.5 is no integer */
};

struct BRIDGE_NUMBER {
    BRIDGE_VECTOR v;
    BRIDGE_NUMBER() = default;
    BRIDGE_INLINE explicit BRIDGE_NUMBER(BRIDGE_WORD n); /* Fortran's real */
    BRIDGE_INLINE explicit BRIDGE_NUMBER(BRIDGE_VECTOR x) : v(x) {}
    /* A vector of equal numbers; x - 0.0 is x to the last bit, signed zeros and NaN included. */
    BRIDGE_INLINE BRIDGE_NUMBER(double x) : v((BRIDGE_REAL)x - BRIDGE_VECTOR{}) {}
};

template <> struct PointTypes<BRIDGE_NUMBER> {
    using Mask = BRIDGE_TRUTH;
    using Bits = BRIDGE_WORD;
};

/* ---- Whole registers in memory --------------------------------------------------------------- */

/* Vectors lie where the caller's array puts them. */
#define BRIDGE_LOOSE(Element)                                                                     \
    typedef Element Loose                                                                         \
        __attribute__((vector_size(8 * BRIDGE_LANES), aligned(sizeof(BRIDGE_REAL))))
BRIDGE_INLINE BRIDGE_NUMBER loadLanes(const BRIDGE_REAL* p) {
    BRIDGE_LOOSE(BRIDGE_REAL);
    return BRIDGE_NUMBER(BRIDGE_VECTOR(*reinterpret_cast<const Loose*>(p)));
}
BRIDGE_INLINE void store(BRIDGE_REAL* p, BRIDGE_NUMBER a) {
    BRIDGE_LOOSE(BRIDGE_REAL);
    *reinterpret_cast<Loose*>(p) = Loose(a.v);
}
BRIDGE_INLINE BRIDGE_WORD loadBits(const BRIDGE_INTEGER* p) {
    BRIDGE_LOOSE(BRIDGE_INTEGER);
    return BRIDGE_WORD(BRIDGE_INTEGERS(*reinterpret_cast<const Loose*>(p)));
}
BRIDGE_INLINE void store(BRIDGE_INTEGER* p, BRIDGE_WORD a) {
    BRIDGE_LOOSE(BRIDGE_INTEGER);
    *reinterpret_cast<Loose*>(p) = Loose(a.v);
}
#undef BRIDGE_LOOSE

/* Lanes of one vector, and of two that are counted through both, in an order. */
#ifdef __clang__ /* which takes no order from a vector; the order counts modulo its length */
BRIDGE_INLINE BRIDGE_VECTOR shuffled(BRIDGE_VECTOR a, BRIDGE_VECTOR b, BRIDGE_INTEGERS order) {
    constexpr int lanes = 8 * BRIDGE_LANES / sizeof(BRIDGE_REAL);
    BRIDGE_VECTOR found;
    for (int l = 0; l < lanes; ++l) {
        const int at = (int)(order[l] & (2 * lanes - 1));
        found[l] = at < lanes ? a[at] : b[at - lanes];
    }
    return found;
}
BRIDGE_INLINE BRIDGE_VECTOR shuffled(BRIDGE_VECTOR a, BRIDGE_INTEGERS order) {
    return shuffled(a, a, order);
}
#else
BRIDGE_INLINE BRIDGE_VECTOR shuffled(BRIDGE_VECTOR a, BRIDGE_VECTOR b, BRIDGE_INTEGERS order) {
    return __builtin_shuffle(a, b, order);
}
BRIDGE_INLINE BRIDGE_VECTOR shuffled(BRIDGE_VECTOR a, BRIDGE_INTEGERS order) {
    return __builtin_shuffle(a, order);
}
#endif

/* One lane, for code outside the kernels (tests, printing). */
BRIDGE_INLINE BRIDGE_REAL lane(BRIDGE_NUMBER a, int i) { return a.v[i]; }
BRIDGE_INLINE int lane(BRIDGE_WORD a, int i) { return int(a.v[i]); }

/* ---- Arithmetic: numbers with numbers, and with a double through the implicit broadcast ------- */

#define BRIDGE_ARITHMETIC(Type, op)                                                               \
    BRIDGE_INLINE Type operator op(Type a, Type b) { return Type(a.v op b.v); }                   \
    BRIDGE_INLINE Type& operator op##=(Type& a, Type b) { return a = a op b; }
BRIDGE_ARITHMETIC(BRIDGE_NUMBER, +)
BRIDGE_ARITHMETIC(BRIDGE_NUMBER, -)
BRIDGE_INLINE BRIDGE_NUMBER operator-(BRIDGE_NUMBER a) { return BRIDGE_NUMBER(-a.v); }
BRIDGE_INLINE BRIDGE_NUMBER operator+(BRIDGE_NUMBER a) { return a; }
BRIDGE_INLINE BRIDGE_NUMBER multiplied(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return BRIDGE_NUMBER(a.v * b.v);
}
BRIDGE_INLINE BRIDGE_NUMBER multiplyAdd(BRIDGE_NUMBER a, BRIDGE_NUMBER b, BRIDGE_NUMBER c);
BRIDGE_INLINE BRIDGE_NUMBER multiplySubtract(BRIDGE_NUMBER a, BRIDGE_NUMBER b, BRIDGE_NUMBER c);
BRIDGE_INLINE BRIDGE_NUMBER subtractProduct(BRIDGE_NUMBER c, BRIDGE_NUMBER a, BRIDGE_NUMBER b);
#ifdef BRIDGE_FUSED
BRIDGE_INLINE BRIDGE_NUMBER multiplyAdd(BRIDGE_NUMBER a, BRIDGE_NUMBER b, BRIDGE_NUMBER c) {
    return BRIDGE_NUMBER(BRIDGE_FUSED(fmadd, a, b, c));
}
BRIDGE_INLINE BRIDGE_NUMBER multiplySubtract(BRIDGE_NUMBER a, BRIDGE_NUMBER b, BRIDGE_NUMBER c) {
    return BRIDGE_NUMBER(BRIDGE_FUSED(fmsub, a, b, c));
}
BRIDGE_INLINE BRIDGE_NUMBER subtractProduct(BRIDGE_NUMBER c, BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return BRIDGE_NUMBER(BRIDGE_FUSED(fnmadd, a, b, c));
}
#endif /* v2 has no such instruction: lanes.h, singles.h */
BRIDGE_PRODUCTS(BRIDGE_INLINE, BRIDGE_NUMBER)
BRIDGE_INLINE BRIDGE_NUMBER operator/(BRIDGE_NUMBER a, BRIDGE_NUMBER b);
BRIDGE_INLINE BRIDGE_NUMBER& operator/=(BRIDGE_NUMBER& a, BRIDGE_NUMBER b) { return a = a / b; }

BRIDGE_ARITHMETIC(BRIDGE_WORD, +)
BRIDGE_ARITHMETIC(BRIDGE_WORD, -)
BRIDGE_ARITHMETIC(BRIDGE_WORD, &)
BRIDGE_ARITHMETIC(BRIDGE_WORD, |)
BRIDGE_ARITHMETIC(BRIDGE_WORD, ^)
BRIDGE_ARITHMETIC(BRIDGE_WORD, <<)
BRIDGE_ARITHMETIC(BRIDGE_WORD, >>)
BRIDGE_INLINE BRIDGE_WORD operator-(BRIDGE_WORD a) { return BRIDGE_WORD(-a.v); }
BRIDGE_INLINE BRIDGE_WORD operator+(BRIDGE_WORD a) { return a; }
BRIDGE_INLINE BRIDGE_WORD operator~(BRIDGE_WORD a) { return BRIDGE_WORD(~a.v); }
BRIDGE_INLINE BRIDGE_WORD operator*(BRIDGE_WORD a, BRIDGE_WORD b);
/* Towards zero; by zero: 0. */
BRIDGE_INLINE BRIDGE_WORD operator/(BRIDGE_WORD a, BRIDGE_WORD b);
/* The remainder of that quotient: Fortran's mod. */
BRIDGE_INLINE BRIDGE_WORD operator%(BRIDGE_WORD a, BRIDGE_WORD b) { return a - a / b * b; }
BRIDGE_INLINE BRIDGE_WORD& operator*=(BRIDGE_WORD& a, BRIDGE_WORD b) { return a = a * b; }
BRIDGE_INLINE BRIDGE_WORD& operator/=(BRIDGE_WORD& a, BRIDGE_WORD b) { return a = a / b; }
BRIDGE_INLINE BRIDGE_WORD& operator%=(BRIDGE_WORD& a, BRIDGE_WORD b) { return a = a % b; }

#define BRIDGE_COMPARE(op)                                                                        \
    BRIDGE_INLINE BRIDGE_TRUTH operator op(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {                    \
        return BRIDGE_TRUTH(BRIDGE_INTEGERS(a.v op b.v));                                         \
    }                                                                                             \
    BRIDGE_INLINE BRIDGE_TRUTH operator op(BRIDGE_WORD a, BRIDGE_WORD b) {                        \
        return BRIDGE_TRUTH(BRIDGE_INTEGERS(a.v op b.v));                                         \
    }
BRIDGE_COMPARE(<)
BRIDGE_COMPARE(<=)
BRIDGE_COMPARE(>)
BRIDGE_COMPARE(>=)
BRIDGE_COMPARE(==)
BRIDGE_COMPARE(!=)
#undef BRIDGE_COMPARE

BRIDGE_ARITHMETIC(BRIDGE_TRUTH, &)
BRIDGE_ARITHMETIC(BRIDGE_TRUTH, |)
BRIDGE_ARITHMETIC(BRIDGE_TRUTH, ^)
#undef BRIDGE_ARITHMETIC
BRIDGE_INLINE BRIDGE_TRUTH operator~(BRIDGE_TRUTH a) { return BRIDGE_TRUTH(~a.v); }
BRIDGE_INLINE BRIDGE_TRUTH operator!(BRIDGE_TRUTH a) { return BRIDGE_TRUTH(~a.v); }
/* Both sides are always evaluated: there is nothing to skip in a vector. */
BRIDGE_INLINE BRIDGE_TRUTH operator&&(BRIDGE_TRUTH a, BRIDGE_TRUTH b) { return a & b; }
BRIDGE_INLINE BRIDGE_TRUTH operator||(BRIDGE_TRUTH a, BRIDGE_TRUTH b) { return a | b; }
BRIDGE_INLINE BRIDGE_TRUTH operator==(BRIDGE_TRUTH a, BRIDGE_TRUTH b) {
    return BRIDGE_TRUTH(~(a.v ^ b.v));
}
BRIDGE_INLINE BRIDGE_TRUTH operator!=(BRIDGE_TRUTH a, BRIDGE_TRUTH b) { return a ^ b; }

/* ---- Choice -------------------------------------------------------------------------------- */

BRIDGE_INLINE BRIDGE_NUMBER select(BRIDGE_TRUTH m, BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return BRIDGE_NUMBER(m.v ? a.v : b.v);
}
BRIDGE_INLINE BRIDGE_NUMBER select(BRIDGE_TRUTH m, double a, double b) {
    return select(m, BRIDGE_NUMBER(a), BRIDGE_NUMBER(b));
}
BRIDGE_INLINE BRIDGE_WORD select(BRIDGE_TRUTH m, BRIDGE_WORD a, BRIDGE_WORD b) {
    return BRIDGE_WORD(m.v ? a.v : b.v);
}
BRIDGE_INLINE BRIDGE_NUMBER select(BRIDGE_TRUTH m, double a, int b) {
    return select(m, a, double(b));
}
BRIDGE_INLINE BRIDGE_NUMBER select(BRIDGE_TRUTH m, int a, double b) {
    return select(m, double(a), b);
}
BRIDGE_INLINE BRIDGE_WORD select(BRIDGE_TRUTH m, int a, int b) {
    return select(m, BRIDGE_WORD(a), BRIDGE_WORD(b));
}
BRIDGE_INLINE BRIDGE_TRUTH select(BRIDGE_TRUTH m, BRIDGE_TRUTH a, BRIDGE_TRUTH b) {
    return (m & a) | (~m & b);
}

/* A bit of each lane. */
BRIDGE_INLINE int bitsOf(BRIDGE_TRUTH m) {
#if BRIDGE_LANES == 8
    return BRIDGE_MOVEMASK((__m512i)m.v);
#else
    return BRIDGE_PLAIN(movemask, BRIDGE_VECTOR(m.v));
#endif
}
BRIDGE_INLINE bool any(BRIDGE_TRUTH m) { return bitsOf(m) != 0; }
BRIDGE_INLINE bool all(BRIDGE_TRUTH m) { return bitsOf(m) == BRIDGE_EVERY; }

/* ---- Rounding, roots, signs: one instruction each ------------------------------------------- */

BRIDGE_INLINE BRIDGE_NUMBER sqrt(BRIDGE_NUMBER a) {
    return BRIDGE_NUMBER(BRIDGE_PLAIN(sqrt, a.v));
}
#define BRIDGE_FUNCTION(name, mode)                                                               \
    BRIDGE_INLINE BRIDGE_NUMBER name(BRIDGE_NUMBER a) {                                           \
        return BRIDGE_NUMBER(BRIDGE_ROUND(a.v, mode | _MM_FROUND_NO_EXC));                        \
    }
BRIDGE_FUNCTION(floor, _MM_FROUND_TO_NEG_INF)
BRIDGE_FUNCTION(ceil, _MM_FROUND_TO_POS_INF)
BRIDGE_FUNCTION(rint, _MM_FROUND_TO_NEAREST_INT) /* ties to even */
BRIDGE_FUNCTION(aint, _MM_FROUND_TO_ZERO)
#undef BRIDGE_FUNCTION
BRIDGE_INLINE BRIDGE_NUMBER fabs(BRIDGE_NUMBER a) {
    return BRIDGE_NUMBER(BRIDGE_VECTOR(BRIDGE_INTEGERS(a.v) & ~BRIDGE_SIGN));
}
BRIDGE_INLINE BRIDGE_NUMBER copysign(BRIDGE_NUMBER size, BRIDGE_NUMBER sign) {
    return BRIDGE_NUMBER(BRIDGE_VECTOR((BRIDGE_INTEGERS(size.v) & ~BRIDGE_SIGN) |
                                       (BRIDGE_INTEGERS(sign.v) & BRIDGE_SIGN)));
}
BRIDGE_INLINE BRIDGE_NUMBER abs(BRIDGE_NUMBER a) { return fabs(a); }
BRIDGE_INLINE BRIDGE_NUMBER sign(BRIDGE_NUMBER a, BRIDGE_NUMBER b) { return copysign(a, b); }

/* The bound where x is past it, else x, NaN included: one instruction, which returns its second
 * operand when either is NaN, and of two zeros. */
BRIDGE_INLINE BRIDGE_NUMBER notBelow(BRIDGE_NUMBER x, BRIDGE_NUMBER low) {
    return BRIDGE_NUMBER(BRIDGE_PLAIN(max, low.v, x.v));
}
BRIDGE_INLINE BRIDGE_NUMBER notAbove(BRIDGE_NUMBER x, BRIDGE_NUMBER high) {
    return BRIDGE_NUMBER(BRIDGE_PLAIN(min, high.v, x.v));
}
/* x held in [low, high]; a NaN stays. */
BRIDGE_INLINE BRIDGE_NUMBER within(BRIDGE_NUMBER x, BRIDGE_NUMBER low, BRIDGE_NUMBER high) {
    return notBelow(notAbove(x, high), low);
}

/* As C's fmax and fmin: a NaN gives way to the other argument. Of +0 and -0 the first one is the
 * result, as of numbers.h, and only a NaN needs a look. */
BRIDGE_INLINE BRIDGE_NUMBER fmax(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return select(a == a, notBelow(a, b), b);
}
BRIDGE_INLINE BRIDGE_NUMBER fmin(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return select(a == a, notAbove(a, b), b);
}
/* As Fortran's, but for a NaN: that of either argument stays. */
BRIDGE_INLINE BRIDGE_NUMBER max(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return select(b == b, notBelow(a, b), b);
}
BRIDGE_INLINE BRIDGE_NUMBER min(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    return select(b == b, notAbove(a, b), b);
}

/* To the nearest integer, halves away from zero: the number below 0.5 keeps the one that is next
 * to a half from being carried over it. */
BRIDGE_INLINE BRIDGE_NUMBER anint(BRIDGE_NUMBER a) {
    return aint(a + copysign(0.5 - 0.25 * BRIDGE_EPSILON, a));
}
BRIDGE_INLINE BRIDGE_WORD nint(BRIDGE_NUMBER x) { return BRIDGE_WORD(anint(x)); }

BRIDGE_INLINE BRIDGE_TRUTH isnan(BRIDGE_NUMBER a) { return a != a; }
BRIDGE_INLINE BRIDGE_TRUTH isfinite(BRIDGE_NUMBER a) { return fabs(a) <= BRIDGE_LARGEST; }

/* ---- Remainders and powers ------------------------------------------------------------------ */

BRIDGE_INLINE BRIDGE_NUMBER mod(BRIDGE_NUMBER a, BRIDGE_NUMBER b);
/* With the sign of b. */
BRIDGE_INLINE BRIDGE_NUMBER modulo(BRIDGE_NUMBER a, BRIDGE_NUMBER b) {
    const BRIDGE_NUMBER r = mod(a, b);
    const BRIDGE_NUMBER other = select((r < 0.0) != (b < 0.0), r + b, r);
    return select(r == 0.0, copysign(0.0, b), other);
}
BRIDGE_INLINE BRIDGE_NUMBER pow(BRIDGE_NUMBER a, BRIDGE_NUMBER b);
BRIDGE_INLINE BRIDGE_NUMBER pow(BRIDGE_NUMBER a, double b) { return pow(a, BRIDGE_NUMBER(b)); }
BRIDGE_INLINE BRIDGE_NUMBER pow(BRIDGE_NUMBER a, int n) { return powerByProducts(a, n); }

/* ---- Functions of integers ------------------------------------------------------------------ */

BRIDGE_INLINE BRIDGE_WORD max(BRIDGE_WORD a, BRIDGE_WORD b) { return select(a < b, b, a); }
BRIDGE_INLINE BRIDGE_WORD min(BRIDGE_WORD a, BRIDGE_WORD b) { return select(b < a, b, a); }
BRIDGE_INLINE BRIDGE_WORD abs(BRIDGE_WORD a) { return select(a < BRIDGE_WORD(0), -a, a); }
BRIDGE_INLINE BRIDGE_WORD sign(BRIDGE_WORD a, BRIDGE_WORD b) {
    return select(b < BRIDGE_WORD(0), -abs(a), abs(a));
}
BRIDGE_INLINE BRIDGE_WORD mod(BRIDGE_WORD a, BRIDGE_WORD b) { return a % b; }
BRIDGE_INLINE BRIDGE_WORD modulo(BRIDGE_WORD a, BRIDGE_WORD b) {
    const BRIDGE_WORD r = a % b;
    const BRIDGE_WORD zero = 0;
    return select((r != zero) & ((r < zero) != (b < zero)), r + b, r);
}
BRIDGE_INLINE BRIDGE_WORD pow(BRIDGE_WORD a, int n) { return powerByProducts(a, n); }

}  // namespace BRIDGE_NAMESPACE

#undef BRIDGE_NUMBER
#undef BRIDGE_TRUTH
#undef BRIDGE_WORD
#undef BRIDGE_VECTOR
#undef BRIDGE_INTEGERS
#undef BRIDGE_REAL
#undef BRIDGE_INTEGER
#undef BRIDGE_EPSILON
#undef BRIDGE_LARGEST
#undef BRIDGE_NAMED
#undef BRIDGE_MOVEMASK
#undef BRIDGE_SIGN
#undef BRIDGE_EVERY
#undef BRIDGE_PLAIN
#undef BRIDGE_FUSED
#undef BRIDGE_ROUND
