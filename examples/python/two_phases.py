"""N2 mixed with liquid dodecane: the temperature in equilibrium and as one phase.

    python two_phases.py [picture.png]

Each state on the mixing line has the enthalpy of both streams. As one phase its temperature
follows from it at once; in equilibrium a temperature is sought where liquid and vapour together
have it.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import bridge

P = 6e6  # Pa
hot, cold = 900.0, 363.0  # K, of N2 and of dodecane
Z = np.linspace(0.0, 1.0, 101)  # mass fraction of dodecane
Y = np.stack([1.0 - Z, Z], axis=-1)
mixture = bridge.Mixture("N2 C12H26", stability="off")
streams = mixture.evaluate([hot, cold], P, Y=[[1.0, 0.0], [0.0, 1.0]], outputs="h")
h = Y @ np.asarray(streams.h)

one = mixture.evaluate(h=h, P=P, Y=Y, outputs="rho")
low, high = np.full(Z.shape, 300.0), np.full(Z.shape, 1000.0)
for _ in range(50):  # the enthalpy in equilibrium rises with T
    T = 0.5 * (low + high)
    flash = mixture.evaluate(T, P, Y=Y, composite="eosFlashTP")
    above = flash.h_eq > h
    low, high = np.where(above, low, T), np.where(above, T, high)

middle = len(Z) // 2
print(f"half and half: {T[middle]:.1f} K in equilibrium, {one.T[middle]:.1f} K as one phase")
two = (flash.vapour_fraction > 0.0) & (flash.vapour_fraction < 1.0)
print(f"two phases from Z = {Z[two].min():.2f} to {Z[two].max():.2f}")

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
axis.plot(Z, one.T, "--", label="one phase")
axis.plot(Z, T, label="equilibrium")
axis.fill_between(Z, 0.0, 1.0, where=two, transform=axis.get_xaxis_transform(), alpha=0.15,
                  color="tab:orange", linewidth=0.0, label="two phases")  # fmt: skip
axis.set(xlabel="mass fraction of dodecane", ylabel="T / K", ylim=(300.0, 950.0))
axis.set_title(
    f"N2 at {hot:g} K mixed with dodecane at {cold:g} K, {P / 1e6:g} MPa", fontsize="medium"
)
axis.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "two_phases.png", dpi=110)
