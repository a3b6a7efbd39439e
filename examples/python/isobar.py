"""Density and heat capacity of N2 along isobars, beside CoolProp where it is installed.

python isobar.py [picture.png]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import bridge

T = np.linspace(100.0, 300.0, 201)  # K
P = np.array([2e6, 5e6, 10e6])  # Pa; the critical pressure is 3.4 MPa
result = bridge.evaluate("N2", T[:, None], P[None, :], outputs="rho cp")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for k, pressure in enumerate(P):
    label = f"{pressure / 1e6:g} MPa"
    axes[0].plot(T, result.rho[:, k], f"C{k}", label=label)
    axes[1].plot(T, result.cp[:, k] / 1e3, f"C{k}", label=label)
title = "Nitrogen, Peng-Robinson"
try:
    from CoolProp.CoolProp import PropsSI
except ImportError:
    print("CoolProp is not installed: only Peng-Robinson is drawn")
else:
    title = "Nitrogen: lines bridge, dots CoolProp"
    for k, pressure in enumerate(P):
        for axis, name, scale in ((axes[0], "DMASS", 1.0), (axes[1], "CPMASS", 1e-3)):
            values = scale * PropsSI(name, "T", T[::8], "P", pressure, "Nitrogen")
            axis.plot(T[::8], values, f"C{k}.", markersize=4)
axes[0].set(xlabel="T / K", ylabel="density / (kg/m³)")
axes[1].set(xlabel="T / K", ylabel="cp / (kJ/(kg K))", ylim=(0.8, 6.0))
axes[0].legend()
figure.suptitle(title)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "isobar.png", dpi=110)
