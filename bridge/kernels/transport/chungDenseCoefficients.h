// Coefficients of the dense-fluid corrections, linear in (omega, mr4, kappa), and the factor Fc.
// docs/physics.md, section 11. Source: Chung, Ajlan, Lee and Starling 1988.
//
// PUBLISHED uses the mixture's arguments as they are; its denominators vanish on surfaces in
// composition space. BOUNDED keeps omega in a range where they do not and drops the polar and
// association arguments; Fc always keeps all three.
//
// In   omega_m, mr4, kappa_m
// Out  E (10), B_chung (7), Fc
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN Real chungLinear(const double* row, const Real& omega, const Real& mr4,
                           const Real& kappa) {
    return row[0] + row[1] * omega + row[2] * mr4 + row[3] * kappa;
}

// Row i of a table of four columns, worked out where it is used; BOUNDED takes the first two, with
// the acentric factor held in its range.
template <class Real> struct ChungRows {
    const double* table;
    const Real &omega, &mr4, &kappa;
    BRIDGE_MEMBER Real operator[](int i) const {
        return chungLinear<Real>(table + 4 * i, omega, mr4, kappa);
    }
};
template <class Real> struct ChungBoundedRows {
    const double* table;
    Real omega;
    BRIDGE_MEMBER Real operator[](int i) const { return table[4 * i] + table[4 * i + 1] * omega; }
};

// use(E, B), either of which gives its entries by number
template <class Real, class Use>
BRIDGE_FN void withDenseCoefficients(const Shared& shared, const Real& omega_m, const Real& mr4,
                                     const Real& kappa_m, const Use& use) {
    const double *e = shared.chungE, *b = shared.chungB;
    if (shared.chungDense) {
        const Real omegaE = clamp<Real>(omega_m, shared.omegaViscLow, shared.omegaViscHigh);
        const Real omegaB = clamp<Real>(omega_m, shared.omegaCondLow, shared.omegaCondHigh);
        use(ChungBoundedRows<Real>{e, omegaE}, ChungBoundedRows<Real>{b, omegaB});
    } else {
        use(ChungRows<Real>{e, omega_m, mr4, kappa_m}, ChungRows<Real>{b, omega_m, mr4, kappa_m});
    }
}

template <class Real, class OutE, class OutB>
BRIDGE_FN void chungDenseCoefficients(const Shared& shared, const Real& omega_m, const Real& mr4,
                                      const Real& kappa_m, OutE& E, OutB& B_chung, Real& Fc) {
    withDenseCoefficients<Real>(shared, omega_m, mr4, kappa_m, [&](const auto& e, const auto& b) {
        for (int i = 0; i < 10; ++i) E[i] = e[i];
        for (int i = 0; i < 7; ++i) B_chung[i] = b[i];
    });
    Fc = chungLinear<Real>(shared.chungFc, omega_m, mr4, kappa_m);
}

}  // namespace BRIDGE_NAMESPACE
