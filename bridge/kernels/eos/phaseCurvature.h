// How the Gibbs energy of a phase bends with its composition. docs/physics.md, section 23.
// Source: Michelsen 1982.
#pragma once
#include "../point.h"
#include "cubic.h"

namespace BRIDGE_NAMESPACE {

// Second derivatives of the residual Gibbs energy over R T at given T and P, by the attraction a and
// the covolume b: those of ln phi_i = perB b_i - ln(Z - B) - 2 pull u_i G_i of LogFugacity.
template <class Real> struct PhaseCurvature {
    Real bb, ab, aa, pull;
    Mask<Real> liquid;  // v/b below that of the critical point

    BRIDGE_MEMBER PhaseCurvature(const Shared& shared, const Real& a, const Real& b, const Real& Z,
                                 const Real& T, const Real& P) {
        const CubicConstants c = cubicConstants(shared);
        const Real invRT = 1.0 / (shared.R * T), perb = 1.0 / b, scale = invRT * perb;
        const Real B_b = P * invRT, A_a = B_b * invRT, A = a * A_a, B = b * B_b;
        // of 1 = 1/(Z - B) - A/D
        const Real free = 1.0 / (Z - B), perD = 1.0 / c.D(Z, B), bound = 2.0 * A * perD * perD;
        const Real f_Z = bound * c.halfDv(Z, B) - free * free;
        const Real f_B = bound * c.halfDb(Z, B) + free * free;
        const Real Z_a = perD / f_Z * A_a, Z_b = -f_B / f_Z * B_b;
        pull = log1p(c.difference * B / (Z - c.lower * B)) * scale * (1.0 / c.difference);
        const Real pull_a = -B * Z_a * perD * scale;
        const Real pull_b = (Z * B_b - B * Z_b) * perD * scale - pull * perb;
        aa = -pull_a;
        ab = -2.0 * pull_b;
        bb = (Z_b + pull_b * a - ((Z - 1.0) + pull * a) * perb) * perb;
        liquid = Z < c.bulk * B;
    }
    // Along v, whose entries sum up to zero: da and db, and twice = sum (1 - k_ij) v_i u_i v_j u_j.
    BRIDGE_MEMBER Real along(const Real& da, const Real& db, const Real& twice) const {
        return (bb * db + ab * da) * db + aa * da * da - 2.0 * pull * twice;
    }
};

}  // namespace BRIDGE_NAMESPACE
