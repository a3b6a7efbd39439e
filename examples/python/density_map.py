"""Density of a mixture over T and P, and where it would split into two phases.

    python density_map.py [picture.png]

Between the white lines the cubic equation has three roots; the result has the one with the lowest
Gibbs energy. Within the red line the mixture is unstable as one phase: the tangent-plane distance
is negative, and the density is that of a state which would split.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import bridge

T = np.linspace(100.0, 260.0, 240)[:, None]  # K
P = np.linspace(0.2e6, 8e6, 200)[None, :]  # Pa
result = bridge.evaluate("O2 CH4", T, P, X={"O2": 0.5, "CH4": 0.5}, outputs="rho nRoots tpd")
print(result)

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
x, y = T[:, 0], P[0] / 1e6
mesh = axis.pcolormesh(x, y, result.rho.T, cmap="viridis", shading="nearest", rasterized=True)
axis.contour(x, y, result.nRoots.T, levels=[2.0], colors="white", linewidths=1.0)
axis.contour(x, y, result.tpd.T < 0.0, levels=[0.5], colors="tab:red", linewidths=1.0)
figure.colorbar(mesh).ax.set_title("kg/m³", fontsize="medium")
axis.set(xlabel="T / K", ylabel="P / MPa")
axis.set_title("Density of O2 and CH4; white: three roots, red: two phases", fontsize="medium")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "density_map.png", dpi=110)
