// What kinetic theory knows of a species, of the tables kineticSpecies and kineticFits.
// docs/physics.md, section 11.
#pragma once
#include "../point.h"

namespace BRIDGE_NAMESPACE {

struct KineticSpecies {
    const double* numbers;
    int index;

    static BRIDGE_MEMBER KineticSpecies at(const Shared& shared, int i) {
        return {shared.kineticSpecies + static_cast<int64_t>(KINETIC_NUMBERS) * i, i};
    }
    BRIDGE_MEMBER double invDepth() const { return numbers[0]; }    // 1/K
    BRIDGE_MEMBER double depthPower() const { return numbers[1]; }  // eps^B
    BRIDGE_MEMBER double scale() const { return numbers[2]; }
    BRIDGE_MEMBER double rootMass() const { return numbers[3]; }
    BRIDGE_MEMBER double rotation() const { return numbers[5]; }    // rotational cv/R
    BRIDGE_MEMBER double relaxation() const { return numbers[6]; }  // Zrot F(298 K)
    BRIDGE_MEMBER bool polar() const { return numbers[7] != 0.0; }

    // Which: 0 Omega22 over that without a dipole, 1 A*; constant past the ends of the tables.
    template <int which, class Real>
    BRIDGE_MEMBER Real fit(const Shared& shared, const Real& lnT) const {
        const double* c = shared.kineticFits + static_cast<int64_t>(2 * KINETIC_TERMS) * index +
                          which * KINETIC_TERMS;
        const Real raw = (lnT - numbers[4] - shared.kineticPlace[0]) * shared.kineticPlace[1];
        const Real place = clamp<Real>(raw, -1.0, 1.0);
        const Real square = place * place;
        Real odd = c[0], even = c[1];
        for (int k = 2; k < KINETIC_TERMS; k += 2) {
            odd = odd * square + c[k];
            even = even * square + c[k + 1];
        }
        return odd * place + even;
    }
};

}  // namespace BRIDGE_NAMESPACE
