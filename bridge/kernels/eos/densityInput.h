// A mixture at a density that the caller gives: checks, cleaned mole fractions and what follows
// from them and the density alone. docs/physics.md, sections 3 and 9.
#pragma once
#include "../point.h"
#include "cubic.h"
#include "inputChecks.h"
#include "prEOSLogTerm.h"
#include "status.h"

namespace BRIDGE_NAMESPACE {

template <class Real> struct DensityInput {
    MassFractionSums<Real> sums;
    Bits<Real> status;  // all but T_EXTRAP
    Mask<Real> fatal;
    Real rho, W, b, v_pr, v, D, K;  // NaN at a fatal point, as X is

    // wrong: fatal bits of the other inputs; X gets the mole fractions.
    template <class InY, class OutX>
    BRIDGE_MEMBER DensityInput(const Shared& shared, const Real& rho_target, const InY& Y,
                               const Bits<Real>& wrong, OutX& X) {
        const int ns = species(shared);
        Real moles = 0.0, covolume = 0.0, shift = 0.0;
        BRIDGE_ROLLED_MANY
        for (int i = 0; i < ns; ++i) {
            const Real n = sums.add(Y[i]) * shared.invW[i];
            moles = moles + n;
            covolume = covolume + n * shared.prB[i];
            if (shared.volumeShift) shift = shift + n * shared.cShift[i];
            X[i] = n;
        }
        const Mask<Real> sound = sums.sound(shared);
        const Mask<Real> number = (rho_target >= shared.rhoLeast) & isfinite(rho_target);
        const Mask<Real> room = sums.positive > rho_target * (covolume + shift);  // v_pr > b
        const Bits<Real> bad =
            wrong | flag<Real>(!sound, BAD_Y) | flag<Real>((!number) | (sound & (!room)), BAD_RHO);
        fatal = bad != Bits<Real>(0);
        const Mask<Real> renormed = fabs(sums.sum - 1.0) > shared.renormTolerance;
        const Mask<Real> clipped = sums.least < -shared.clipTolerance;
        status =
            select(fatal, bad, flag<Real>(renormed, Y_RENORM) | flag<Real>(clipped, Y_CLIPPED));
        const Real scale = select(fatal, Real(BRIDGE_NAN), 1.0 / moles);
        BRIDGE_ROLLED_MANY
        for (int i = 0; i < ns; ++i) X[i] = Real(X[i]) * scale;
        W = sums.positive * scale;
        b = covolume * scale;
        rho = select(fatal, Real(BRIDGE_NAN), rho_target);
        v = W / rho;
        v_pr = v - shift * scale;
        prEOSLogTerm<Real>(shared, v_pr, b, D, K);
    }

    // Bits of the state at T and P: T_EXTRAP; UNSTABLE where P does not fall with v, or where it is
    // no pressure of a stable phase.
    template <class InY>
    BRIDGE_MEMBER Bits<Real> of(const Shared& shared, const InY& Y, const Real& T, const Real& P,
                                const Real& a) const {
        const Real free = v_pr - b;
        const Real halfDv = cubicConstants(shared).halfDv<Real>(v_pr, b);
        const Real P_v = 2.0 * a * halfDv / (D * D) - shared.R * T / (free * free);
        return flag<Real>(outsideFits<Real>(shared, T, Y, sums.positive), T_EXTRAP) |
               flag<Real>((P_v >= 0.0) | (P <= 0.0), UNSTABLE);
    }
};

}  // namespace BRIDGE_NAMESPACE
