"""A real-gas mixture of nonpolar species in NumPy: Peng-Robinson, Chung, Takahashi.

Written from the pages of docs/physics alone. The equation of state starts from the Helmholtz
energy of a volume as a function of T and the densities of the species, which no kernel does. Of
the package it takes constants and tables, no formula.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.physics.shared import shipped_tables
from bridge.physics.species import SpeciesData

R = 8.31446261815324  # J/(mol K)
ROOT2 = np.sqrt(2.0)
CHUNG = shipped_tables()["chung"]
E_ROWS = np.array(CHUNG["viscosity"]["chung1988"])
B_ROWS = np.array(CHUNG["conductivity"]["chung1988"]["rows"])
TAKAHASHI = np.array(shipped_tables()["takahashi"]["default"])


class Mixture:
    """Properties of arrays of states: T (n,) in K and the densities of the species r (ns, n) in
    kg/m3. `density` alone starts from P in Pa and mass fractions Y (ns, n)."""

    def __init__(self, names: Sequence[str]) -> None:
        data = SpeciesData.load(list(names))
        if data.Vc is None or data.dipole is None or data.kappa is None:
            raise ValueError(f"{names}: the reference needs Vc, dipole and kappa")
        if data.dipole.any() or data.kappa.any():
            raise ValueError(f"{names}: the reference has no polar species")
        if (data.omega > 0.491).any():
            raise ValueError(f"{names}: the reference has the alpha function of omega <= 0.491")
        self.names, self.ns, self.nasa7 = tuple(names), len(names), data.nasa7
        self.W, self.Tc, self.Pc, self.Vc, self.omega = (
            np.asarray(x)[:, None] for x in (data.W, data.Tc, data.Pc, data.Vc, data.omega)
        )
        self.m = 0.37464 + 1.54226 * self.omega - 0.26992 * self.omega**2
        self.b = 0.07779607390388846 * R * self.Tc / self.Pc
        self.q = np.sqrt(0.45723552892138218 / self.Pc) * R * self.Tc

    # The ideal gas

    def _ideal(self, T: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """cp/R, h/R and s/R at 1 atm of each species; cp is constant outside the fits."""
        parts = []
        for row in self.nasa7:
            t = np.clip(T, row[0], row[2])
            a = np.where(t <= row[1], row[3:10, None], row[10:17, None])
            powers = t ** np.arange(5)[:, None]
            orders = np.arange(1, 6)[:, None]
            cp = (a[:5] * powers).sum(axis=0)
            h = (a[:5] * powers * t / orders).sum(axis=0) + a[5] + cp * (T - t)
            s = (a[1:5] * powers[1:] / orders[:4]).sum(axis=0)
            s += a[0] * np.log(t) + a[6] + cp * np.log(T / t)
            parts.append((cp, h, s))
        cp, h, s = (np.stack(x) for x in zip(*parts, strict=True))
        return cp, h, s

    # The equation of state

    def _attraction(self, T: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, ...]:
        """a_i^0.5 with its two derivatives by T, and their sums weighted by moles."""
        u = self.q * (1.0 + self.m * (1.0 - np.sqrt(T / self.Tc)))
        u_T = -self.q * self.m / (2.0 * np.sqrt(T * self.Tc))
        u_TT = -u_T / (2.0 * T)
        return u, u_T, (n * u).sum(axis=0), (n * u_T).sum(axis=0), (n * u_TT).sum(axis=0)

    @staticmethod
    def _pull(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The part of the attraction that depends on the covolume B of a volume of one, and its
        derivative by B: the residual Helmholtz energy is -R T n ln(1 - B) - A pull."""
        log = np.log1p(2.0 * ROOT2 * B / (1.0 + (1.0 - ROOT2) * B)) / (2.0 * ROOT2)
        return log / B, 1.0 / (B * (1.0 + 2.0 * B - B**2)) - log / B**2

    def pressure(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        n = r / self.W
        B = (n * self.b).sum(axis=0)
        Q = self._attraction(T, n)[2]
        return np.asarray(n.sum(axis=0) * R * T / (1.0 - B) - Q**2 / (1.0 + 2.0 * B - B**2))

    def pressure_slopes(self, T: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dP/dT at constant r (n,), and dP/dr_i at constant T (ns, n)."""
        n = r / self.W
        total, B = n.sum(axis=0), (n * self.b).sum(axis=0)
        u, _, Q, Q_T, _ = self._attraction(T, n)
        D = 1.0 + 2.0 * B - B**2
        P_T = total * R / (1.0 - B) - 2.0 * Q * Q_T / D
        P_n = R * T * (1.0 / (1.0 - B) + total * self.b / (1.0 - B) ** 2)
        P_n += -2.0 * Q * u / D + Q**2 * (2.0 - 2.0 * B) * self.b / D**2
        return P_T, P_n / self.W

    def energy(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        """Internal energy of a volume, J/m3, heats of formation included."""
        n = r / self.W
        B = (n * self.b).sum(axis=0)
        _, _, Q, Q_T, _ = self._attraction(T, n)
        _, h, _ = self._ideal(T)
        ideal = (n * R * (h - T)).sum(axis=0)
        return np.asarray(ideal - (Q**2 - 2.0 * T * Q * Q_T) * self._pull(B)[0])

    def energy_slopes(self, T: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The heat capacity of a volume at constant r, J/(m3 K), (n,); d(rho e)/dr_i at constant
        T, J/kg, (ns, n)."""
        n = r / self.W
        B = (n * self.b).sum(axis=0)
        u, u_T, Q, Q_T, Q_TT = self._attraction(T, n)
        pull, pull_B = self._pull(B)
        cp, h, _ = self._ideal(T)
        capacity = (n * R * (cp - 1.0)).sum(axis=0) + 2.0 * T * (Q_T**2 + Q * Q_TT) * pull
        U_n = R * (h - T) - 2.0 * (Q * u - T * (Q_T * u + Q * u_T)) * pull
        U_n -= (Q**2 - 2.0 * T * Q * Q_T) * self.b * pull_B
        return capacity, U_n / self.W

    def entropy(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        """Of a volume, J/(m3 K); of each ideal gas at 1 atm that of the fits."""
        n = r / self.W
        B = (n * self.b).sum(axis=0)
        _, _, Q, Q_T, _ = self._attraction(T, n)
        _, _, s = self._ideal(T)
        mixing = np.log(np.where(n > 0.0, n, 1.0) * R * T / 101325.0)
        ideal = (n * R * (s - mixing)).sum(axis=0)
        dense = n.sum(axis=0) * R * np.log(1.0 - B) + 2.0 * Q * Q_T * self._pull(B)[0]
        return np.asarray(ideal + dense)

    def sound_speed(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        P_T, P_r = self.pressure_slopes(T, r)
        capacity, _ = self.energy_slopes(T, r)
        return np.asarray(np.sqrt(((r * P_r).sum(0) + T * P_T**2 / capacity) / r.sum(0)))

    def species_enthalpies(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        """Partial enthalpies at constant T and P, J/kg, (ns, n)."""
        P_T, P_r = self.pressure_slopes(T, r)
        _, U_r = self.energy_slopes(T, r)
        return np.asarray(U_r + T * P_T * P_r / (r * P_r).sum(axis=0))

    def heat_capacity(self, T: np.ndarray, r: np.ndarray) -> np.ndarray:
        """cp, J/(kg K)."""
        P_T, P_r = self.pressure_slopes(T, r)
        capacity, _ = self.energy_slopes(T, r)
        return np.asarray((capacity + T * P_T**2 / (r * P_r).sum(axis=0)) / r.sum(axis=0))

    def density(self, T: np.ndarray, P: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """The densities of the species (ns, n), at the root of lowest Gibbs energy."""
        Y = np.asarray(Y, float).reshape(self.ns, -1)
        T, P, _ = np.broadcast_arrays(np.atleast_1d(T), np.atleast_1d(P), Y[0])
        moles = Y / self.W
        X = moles / moles.sum(axis=0)
        a, b = self._attraction(T, X)[2] ** 2, (X * self.b).sum(axis=0)
        A, B = a * P / (R * T) ** 2, b * P / (R * T)
        Z = np.empty(np.shape(A))
        for k, (A_k, B_k) in enumerate(zip(A, B, strict=True)):
            c1, c0 = A_k - 3.0 * B_k**2 - 2.0 * B_k, -(A_k * B_k - B_k**2 - B_k**3)
            roots = np.roots([1.0, B_k - 1.0, c1, c0])
            real = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > B_k)]
            pull = np.log((real + (1.0 + ROOT2) * B_k) / (real + (1.0 - ROOT2) * B_k))
            gibbs = real - 1.0 - np.log(real - B_k) - A_k / (2.0 * ROOT2 * B_k) * pull
            z = real[np.argmin(gibbs)]
            for _ in range(2):
                slope = (3.0 * z + 2.0 * (B_k - 1.0)) * z + c1
                z -= (((z + B_k - 1.0) * z + c1) * z + c0) / slope
            Z[k] = z
        return np.asarray(X * self.W * P / (Z * R * T))

    # Transport

    def transport(self, T: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Viscosity Pa s (n,), conductivity W/(m K) (n,), and the mixture-averaged diffusion
        coefficients D_im m2/s (ns, n)."""
        n = r / self.W
        c = n.sum(axis=0)
        X = n / c
        sigma, eps = 0.809 * np.cbrt(1e6 * self.Vc), self.Tc / 1.2593
        M = 1000.0 * self.W
        s15 = (X * sigma**1.5).sum(axis=0)
        sigma_m = np.cbrt(s15**2)
        eps_m = (X * sigma**1.5 * np.sqrt(eps)).sum(axis=0) ** 2 / s15**2
        omega_m = (X * self.omega * sigma**1.5).sum(axis=0) / s15
        pairs = np.sqrt(eps @ eps.T) * (sigma @ sigma.T) * np.sqrt(2.0 * M @ M.T / (M + M.T))
        M_m = ((X * (pairs @ X)).sum(axis=0) / (eps_m * sigma_m**2)) ** 2
        Tc_m, Vc_m = 1.2593 * eps_m, (sigma_m / 0.809) ** 3
        E = E_ROWS[:, :1] + E_ROWS[:, 1:2] * np.clip(omega_m, 0.0, 1.0)
        B = B_ROWS[:, :1] + B_ROWS[:, 1:2] * np.clip(omega_m, -0.25, 1.0)
        t, y = np.maximum(T / eps_m, 0.3), np.minimum(1e-6 * c * Vc_m / 6.0, 0.95)
        omega22 = 1.16145 * t**-0.14874 + 0.52487 * np.exp(-0.77320 * t)
        omega22 += 2.16178 * np.exp(-2.43787 * t)
        thin = (
            40.785e-7 * (1.0 - 0.2756 * omega_m) * np.sqrt(M_m * T) / (Vc_m ** (2 / 3) * omega22)
        )
        G1 = (1.0 - y / 2.0) / (1.0 - y) ** 3

        def dense(k: np.ndarray) -> np.ndarray:
            total = -k[0] * np.expm1(-k[3] * y) / y + k[1] * G1 * np.exp(k[4] * y) + k[2] * G1
            return np.asarray(total / (k[0] * k[3] + k[1] + k[2]))

        G2, H2 = dense(E), dense(B)
        eta = thin * (1.0 / G2 + E[5] * y)
        eta += (
            36.344e-7
            * np.sqrt(M_m * Tc_m)
            / Vc_m ** (2 / 3)
            * E[6]
            * y**2
            * G2
            * np.exp(E[7] + E[8] / t + E[9] / t**2)
        )
        alpha = (X * self._ideal(T)[0]).sum(axis=0) - 2.5
        beta = 0.7862 - 0.7109 * omega_m + 1.3168 * omega_m**2
        Zt = 2.0 + 10.5 * (T / Tc_m) ** 2
        psi = 1.0 + alpha * (0.215 + 0.28288 * alpha - 1.061 * beta + 0.26665 * Zt) / (
            0.6366 + beta * Zt + 1.061 * alpha * beta
        )
        conductivity = 31.2e3 * thin * psi / M_m * (1.0 / H2 + B[5] * y)
        q0 = CHUNG["conductivity"]["chung1988"]["q0"]
        conductivity += (
            q0 * np.sqrt(1e3 * Tc_m / M_m) / Vc_m ** (2 / 3) * B[6] * y**2
            * np.sqrt(T / Tc_m) * H2
        )  # fmt: skip
        return eta, conductivity, self._diffusion(T, self.pressure(T, r), X)

    def _diffusion(self, T: np.ndarray, P: np.ndarray, X: np.ndarray) -> np.ndarray:
        if self.ns == 1:
            return np.zeros(X.shape)
        sigma, eps = 0.809 * np.cbrt(1e6 * self.Vc), self.Tc / 1.2593
        kB, avogadro = 1.380649e-23, 6.02214076e23
        Tr, Pr = T / (X * self.Tc).sum(axis=0), P / (X * self.Pc).sum(axis=0)
        factor = _takahashi(np.maximum(Tr, 1.0), Pr)
        mass, resistance = np.zeros(X.shape), np.zeros(X.shape)
        for i in range(self.ns):
            for j in range(self.ns):
                if i == j:
                    continue
                t = np.maximum(T / np.sqrt(eps[i] * eps[j]), 0.3)
                omega11 = 1.06036 * t**-0.15610 + 0.19300 * np.exp(-0.47635 * t)
                omega11 += 1.03587 * np.exp(-1.52996 * t) + 1.76474 * np.exp(-3.89411 * t)
                reduced = self.W[i] * self.W[j] / (self.W[i] + self.W[j]) / avogadro
                area = np.pi * (0.5e-10 * (sigma[i] + sigma[j])) ** 2
                pair = 3 / 16 * np.sqrt(2.0 * np.pi * (kB * T) ** 3 / reduced)
                pair *= factor / (P * area * omega11)
                mass[i] += (X[j] + 1e-20) * self.W[j]
                resistance[i] += (X[j] + 1e-20) / pair
        return np.asarray(mass / ((X * self.W).sum(axis=0) * resistance))


def _takahashi(Tr: np.ndarray, Pr: np.ndarray) -> np.ndarray:
    """The factor of high pressure; the table is read along Pr, and ends with a thin gas at 0."""
    rows = [np.ones_like(Tr)]
    rows += [DP * (1.0 - A * Tr**-B) * (1.0 - C * Tr**-E) for _, DP, A, B, C, E in TAKAHASHI]
    at = np.concatenate([[0.0], TAKAHASHI[:, 0]])
    k = np.clip(np.searchsorted(at, Pr) - 1, 0, len(at) - 2)
    share = np.clip((Pr - at[k]) / (at[k + 1] - at[k]), 0.0, 1.0)
    table, points = np.stack(rows), np.arange(len(Tr))
    return np.asarray((1.0 - share) * table[k, points] + share * table[k + 1, points])
