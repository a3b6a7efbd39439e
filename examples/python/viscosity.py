"""Viscosity and thermal conductivity of steam and CO2, from thin gas to dense fluid.

python viscosity.py [picture.png]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import bridge

P = np.geomspace(1e5, 5e7, 120)  # Pa
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for k, species in enumerate(("H2O", "CO2")):
    mixture = bridge.Mixture(species)
    for T, line in ((700.0, "-"), (900.0, "--"), (1200.0, ":")):
        result = mixture.evaluate(T, P, outputs="eta lambda")
        label = f"{species}, {T:g} K"
        axes[0].semilogx(P / 1e6, 1e6 * result.eta, f"C{k}{line}", label=label)
        axes[1].semilogx(P / 1e6, 1e3 * result.lambda_, f"C{k}{line}", label=label)
axes[0].set(xlabel="P / MPa", ylabel="viscosity / (µPa s)")
axes[1].set(xlabel="P / MPa", ylabel="thermal conductivity / (mW/(m K))")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize="small")
figure.suptitle("Steam and CO2, Chung's method")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "viscosity.png", dpi=110)
