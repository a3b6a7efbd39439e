/* An integer that knows which bits it may have: the `Bits` of a status word that is followed
 * through a kernel when its pack is built (plan/statusbits.py).
 *
 * It has the kernel's own value, and beside it the bits of every branch that `select` and `flag`
 * did not take. A constant may have its own bits, the word that comes in none.
 */
#ifndef BRIDGE_KERNELS_CPU_FOLLOWED_H
#define BRIDGE_KERNELS_CPU_FOLLOWED_H

namespace BRIDGE_NAMESPACE {

struct FollowedBits {
    int v, may;
    FollowedBits() : v(0), may(0) {}
    FollowedBits(int value) : v(value), may(value) {}
    template <class Number>
    explicit FollowedBits(const Number& value) : FollowedBits(static_cast<int>(value)) {}
    FollowedBits(int value, int possible) : v(value), may(possible) {}
    operator int() const { return v; }
};

#define BRIDGE_FOLLOW(op, together)                                                               \
    static inline FollowedBits operator op(FollowedBits a, FollowedBits b) {                      \
        return {a.v op b.v, a.may together b.may};                                                \
    }                                                                                             \
    static inline FollowedBits operator op(FollowedBits a, int b) {                               \
        return a op FollowedBits(b);                                                              \
    }                                                                                             \
    static inline FollowedBits operator op(int a, FollowedBits b) {                               \
        return FollowedBits(a) op b;                                                              \
    }                                                                                             \
    static inline FollowedBits& operator op##=(FollowedBits& a, FollowedBits b) {                 \
        return a = a op b;                                                                        \
    }
BRIDGE_FOLLOW(|, |)
BRIDGE_FOLLOW(+, |)
BRIDGE_FOLLOW(^, |)
BRIDGE_FOLLOW(&, &)
#undef BRIDGE_FOLLOW
/* What another word may lose, it may keep. */
static inline FollowedBits operator~(FollowedBits a) { return {~a.v, -1}; }

static inline FollowedBits select(bool mask, FollowedBits yes, FollowedBits no) {
    return {mask ? yes.v : no.v, yes.may | no.may};
}
static inline FollowedBits select(bool mask, FollowedBits yes, int no) {
    return select(mask, yes, FollowedBits(no));
}
static inline FollowedBits select(bool mask, int yes, FollowedBits no) {
    return select(mask, FollowedBits(yes), no);
}

}  // namespace BRIDGE_NAMESPACE

#endif
