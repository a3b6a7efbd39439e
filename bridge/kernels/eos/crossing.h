// What species that cross between liquid and vapour change, by moles of them in the vapour.
// docs/physics.md, section 25. Source: Michelsen and Mollerup 2007.
//
// H has the second derivatives of the Gibbs energy over R T. With its ideal part as preconditioner
// conjugate gradients end after few steps, for the rest of H is of low rank.
#pragma once
#include "../point.h"
#include "phaseDerivatives.h"
#include "speciesAttraction.h"

namespace BRIDGE_NAMESPACE {

// Liquid and vapour, and species that cross from one to the other. Columns of the work: SX and SY,
// S_i of both; DH, what a mole of a species takes up as it evaporates, less the part that goes with
// its change of volume; R, the residual; D, the direction, over the weights; Q, H times it.
template <class Real, class InX, class InY, class InU, class OutW> struct Crossing {
    const Shared& shared;
    const InX& x;
    const InY& y;
    const InU& u;
    OutW& work;
    const PhaseDerivatives<Real>&liquid, &vapour;
    const Real T, amount;  // of the vapour, of one mole
    const Real more;       // of DH DH in H: 0 at constant T, 1/(R T^2 cp) at constant entropy
    const int ns, SX = 0, SY = ns, DH = 2 * ns, R = 3 * ns, D = 4 * ns, Q = 5 * ns;
    Real heat = 0.0;  // DH D of the last product

    BRIDGE_MEMBER void fill() {
        const auto of = [&](const auto& composition, const PhaseDerivatives<Real>& phase,
                            int column, double sign) BRIDGE_LAMBDA {
            eachAttraction<Real>(
                shared, composition, T, [&](int i, const Real& S, const Real& S_T) {
                    const double b = shared.prB[i];
                    const Real volume = phase.vbar(b, S);
                    const Real h = phase.TP * volume + phase.hb * b + phase.hS * (T * S_T - S);
                    const Real dv = sign * volume, dh = sign * h;
                    work[column + i] = S;
                    work[R + i] = sign > 0.0 ? Real(work[R + i]) + dv : dv;
                    work[DH + i] = sign > 0.0 ? Real(work[DH + i]) + dh : dh;
                });
        };
        of(x, liquid, SX, -1.0);
        of(y, vapour, SY, 1.0);
    }
    // Inverse of the ideal part of H; zero for species that are not there.
    BRIDGE_MEMBER Real weight(int i) const {
        const Real l = (1.0 - amount) * x[i], v = amount * y[i], all = l + v;
        return l * v / select(all > 0.0, all, Real(1.0));
    }
    // Q = H D; returns D H D.
    BRIDGE_MEMBER Real product() {
        Real sum = 0.0, ofB = 0.0, ofX = 0.0, ofY = 0.0, pull = 0.0;
        heat = 0.0;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            const Real d = weight(i) * Real(work[D + i]);
            sum = sum + d;
            ofB = ofB + shared.prB[i] * d;
            ofX = ofX + Real(work[SX + i]) * d;
            ofY = ofY + Real(work[SY + i]) * d;
            pull = pull + u[i] * d;
            heat = heat + Real(work[DH + i]) * d;
        }
        const Real invRT = 1.0 / (shared.R * T), perX = 1.0 / (1.0 - amount), perY = 1.0 / amount;
        Real x0, xb, xS, y0, yb, yS, all = 0.0;
        liquid.factors(sum, ofB, ofX, invRT, x0, xb, xS);
        vapour.factors(sum, ofB, ofY, invRT, y0, yb, yS);
        const Real c0 = perX * x0 + perY * y0, cb = perX * xb + perY * yb;
        const Real cX = perX * xS, cY = perY * yS, k = perX * liquid.k + perY * vapour.k;
        const Real ofH = more * heat;
        BRIDGE_ROLLED
        for (int i = 0; i < ns; ++i) {
            Real g = pull;
            if (shared.anyKij) {
                const double* row = shared.oneMinusKij + int64_t(i) * ns;
                g = 0.0;
                BRIDGE_ROLLED
                for (int j = 0; j < ns; ++j)
                    g = g + row[j] * (u[j] * (weight(j) * Real(work[D + j])));
            }
            const Real d = work[D + i], q = d + c0 + cb * shared.prB[i] + cX * Real(work[SX + i]) +
                                            cY * Real(work[SY + i]) - k * (u[i] * g) +
                                            ofH * Real(work[DH + i]);
            work[Q + i] = q;
            all = all + weight(i) * d * q;
        }
        return all;
    }
};

}  // namespace BRIDGE_NAMESPACE
