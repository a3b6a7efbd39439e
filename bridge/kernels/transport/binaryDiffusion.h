// Binary diffusion of one pair at low pressure, for the kernels that store the pairs and for the
// one that does not. docs/physics.md, section 12. Sources: Neufeld, Janzen and Aziz 1972
// (CHAPMAN_ENSKOG); Fuller, Schettler and Giddings 1966; Brokaw 1969 (polar pairs, KINETIC).
//
// D0_ij = scale/resistance_ij: scale belongs to the point, the resistance is Omega11 over a pair
// table, and sums over pairs need no division. T*^-B is a product of a power of T and a pair
// table, so no pair takes a power. FITTED replaces the resistance by a polynomial in ln T where
// it holds; other points, one by one, keep the exact form.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct BinaryDiffusion {
    Real T;
    Real scale;         // T^1.5/P, or T^1.75/P (FULLER)
    Real power;         // T^-B
    Real inverse;       // 1/T with KINETIC
    Real place;         // of ln T in the range of the fit, -1 to 1
    Mask<Real> fitted;  // T inside that range

    static BRIDGE_MEMBER BinaryDiffusion at(const Shared& shared, const Real& T, const Real& P) {
        BinaryDiffusion point;
        const Real root = sqrt(T), lnT = log(T);
        point.T = T;
        point.scale = (shared.diffModel ? T * root * sqrt(root) : T * root) / P;
        point.power = exp(-shared.omega11[1] * lnT);
        point.inverse = shared.dilute ? 1.0 / T : Real(0.0);
        point.place = (lnT - shared.omega11FitMiddle) * shared.omega11FitInverse;
        point.fitted = (T >= shared.omega11FitLow) & (T <= shared.omega11FitHigh);
        return point;
    }

    // Pair number `k` of the packed tables.
    template <bool polar> BRIDGE_MEMBER Real integral(const Shared& shared, int64_t k) const {
        const double* c = shared.omega11;  // A B C D E F G H; D, F and H times log2(e)
        const Real Tstar = at_least<Real>(T * shared.invEpsPair[k], shared.tStarMin);
        const Real head = at_most<Real>(power * shared.epsPowPair[k], shared.omega11Floor);
        const Real Omega11 = c[0] * head + c[2] * exp2OfNegative(-c[3] * Tstar) +
                             c[4] * exp2OfNegative(-c[5] * Tstar) +
                             c[6] * exp2OfNegative(-c[7] * Tstar);
        if constexpr (polar) {
            return (Omega11 + shared.polarPair[k] * inverse) * shared.invDiffusionPair[k];
        } else {
            return Omega11 * shared.invDiffusionPair[k];
        }
    }
    BRIDGE_MEMBER Real exact(const Shared& shared, int64_t k) const {
        return shared.dilute ? integral<true>(shared, k) : integral<false>(shared, k);
    }
    BRIDGE_MEMBER Real polynomial(const Shared& shared, int64_t k) const {
        const double* c = shared.omega11Fit + OMEGA11_TERMS * k;  // highest power first
        static_assert(OMEGA11_TERMS % 2 == 0, "as many odd powers as even ones");
        const Real square = place * place;
        Real odd = c[0], even = c[1];  // side by side: half as long to wait for as Horner's scheme
        for (int i = 2; i < OMEGA11_TERMS; i += 2) {
            odd = odd * square + c[i];
            even = even * square + c[i + 1];
        }
        return odd * place + even;
    }

    // Call use(resistance), a function of the pair's number: one of these, the same for all pairs.
    template <class Use>
    BRIDGE_MEMBER void withResistance(const Shared& shared, const Use& use) const {
        if (shared.diffModel) {
            use([&](int64_t k) BRIDGE_LAMBDA { return Real(shared.invDiffusionPair[k]); });
        } else if (!shared.omega11Fitted || !any(fitted)) {
            if (shared.dilute) {
                use([&](int64_t k) BRIDGE_LAMBDA { return integral<true>(shared, k); });
            } else {
                use([&](int64_t k) BRIDGE_LAMBDA { return integral<false>(shared, k); });
            }
        } else if (all(fitted)) {
            use([&](int64_t k) BRIDGE_LAMBDA { return polynomial(shared, k); });
        } else {
            use([&](int64_t k) BRIDGE_LAMBDA {
                return select(fitted, polynomial(shared, k), exact(shared, k));
            });
        }
    }
};

}  // namespace BRIDGE_NAMESPACE
