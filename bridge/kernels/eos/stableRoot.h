// The root of lowest Gibbs energy of a phase, and the fugacity coefficients that it has.
// docs/physics.md, sections 6 and 7. Source: Peng and Robinson 1976.
#pragma once
#include "../point.h"
#include "cubic.h"
#include "prEOSSolveCubic.h"

namespace BRIDGE_NAMESPACE {

// The root of lowest Gibbs energy, as prEOSSelectRoot takes it, with the logarithms that fugacity
// coefficients need again: ln(Z - B), and L of the attraction.
template <class Real> struct StableRoot {
    Real Z, logZB, L;

    // A given one.
    BRIDGE_MEMBER StableRoot(const CubicConstants& c, const Real& given, const Real& B)
        : Z(given), logZB(log(given - B)), L(log1p(c.difference * B / (given - c.lower * B))) {}
    BRIDGE_MEMBER StableRoot(const Shared& shared, const Real& A, const Real& B) {
        Real Zmax, Zmin;
        Bits<Real> roots;
        prEOSSolveCubic<Real>(shared, A, B, Zmax, Zmin, roots);
        const CubicConstants c = cubicConstants(shared);
        const Real width = c.difference * B, shift = c.lower * B;
        Z = Zmax;
        logZB = log(Zmax - B);
        L = log1p(width / (Zmax - shift));
        const Mask<Real> three = roots == Bits<Real>(3);
        if (!any(three)) return;
        const Real other = log(Zmin - B), L2 = log1p(width / (Zmin - shift));
        const Real pull = A / width;
        const Mask<Real> lower = three & ((Zmin - other) - pull * L2 < (Z - logZB) - pull * L);
        Z = select(lower, Zmin, Z);
        logZB = select(lower, other, logZB);
        L = select(lower, L2, L);
    }
};

// What the shift of the volume adds to ln phi of a species in every phase: LogFugacity leaves it out.
template <class Real>
BRIDGE_FN Real lnphiOfShift(const Shared& shared, int i, const Real& T, const Real& P) {
    if (!shared.volumeShift) return 0.0;
    return P * shared.cShift[i] / (shared.R * T);
}

// Logarithms of the fugacity coefficients of a phase, at its root of lowest Gibbs energy; bulk: v/b.
template <class Real> struct LogFugacity {
    Real Z, logZB, pull, perB, bulk;  // pull: K of prEOSLogTerm over R T

    BRIDGE_MEMBER LogFugacity(const Shared& shared, const Real& a, const Real& b, const Real& T,
                              const Real& P) {
        const Real invRT = 1.0 / (shared.R * T);
        const Real A = a * P * invRT * invRT, B = b * P * invRT;
        of(shared, StableRoot<Real>(shared, A, B), a, b, B, invRT);
    }
    // At a given root.
    BRIDGE_MEMBER LogFugacity(const Shared& shared, const Real& a, const Real& b, const Real& T,
                              const Real& P, const Real& given) {
        const Real invRT = 1.0 / (shared.R * T), B = b * P * invRT;
        of(shared, StableRoot<Real>(cubicConstants(shared), given, B), a, b, B, invRT);
    }
    BRIDGE_MEMBER void of(const Shared& shared, const StableRoot<Real>& root, const Real& a,
                          const Real& b, const Real& B, const Real& invRT) {
        Z = root.Z;
        logZB = root.logZB;
        pull = root.L / (cubicConstants(shared).difference * b) * invRT;
        perB = ((Z - 1.0) + pull * a) / b;
        bulk = Z / B;
    }
    // Of a species: its covolume, and S_i.
    BRIDGE_MEMBER Real operator()(double b_i, const Real& S) const {
        return perB * b_i - logZB - 2.0 * pull * S;
    }
};

}  // namespace BRIDGE_NAMESPACE
