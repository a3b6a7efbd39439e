"""A species of your own in a YAML table, mixed with a shipped one: its density along an isotherm.

python own_species.py [picture.png]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import bridge

# Difluoromethane, with a heat capacity that does not change: enough for a density.
TABLE = """
species:
- name: R32
  molarMass: 0.052024    # kg/mol
  Tc: 351.255            # K
  Pc: 5.782e+6           # Pa; YAML takes 5.782e6 for text
  Vc: 1.2269e-4          # m3/mol
  omega: 0.2769
  dipole: 1.978          # debye
  nasa7:
    temperatureRanges: [200.0, 1000.0, 3000.0]
    low: [5.2, 0, 0, 0, 0, 0, 0]
    high: [5.2, 0, 0, 0, 0, 0, 0]
"""

P = np.linspace(1e5, 8e6, 300)  # Pa
figure, axis = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
with tempfile.TemporaryDirectory() as folder:
    table = Path(folder) / "mine.yaml"
    table.write_text(TABLE)
    for T in (300.0, 330.0, 360.0, 400.0):
        axis.plot(P / 1e6, bridge.evaluate(table, T, P, outputs="rho").rho, label=f"{T:g} K")
axis.set(xlabel="P / MPa", ylabel="density / (kg/m³)", title="R32 of a table of one's own")
axis.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "own_species.png", dpi=110)
