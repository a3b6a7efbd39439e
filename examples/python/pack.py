"""A kernel of your own, written, built and used from Python: the isentropic exponent of CO2.

python pack.py [picture.png]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import bridge

CATALOGUE = """
[quantity.kPv]
unit = "1"
about = "isentropic exponent of P and v, the ratio of heat capacities of an ideal gas"

[[kernel]]
name = "isentropicExponent"
header = "isentropicExponent.h"
inputs = ["rho", "c", "P"]
outputs = ["kPv"]
about = "isentropic exponent"
"""
HEADER = """
#pragma once
#include "point.h"

namespace BRIDGE_NAMESPACE {

template <class Real>
BRIDGE_FN void isentropicExponent(const Shared&, const Real& rho, const Real& c, const Real& P,
                                  Real& kPv) {
    kPv = rho * c * c / P;
}

}  // namespace BRIDGE_NAMESPACE
"""

P = np.geomspace(1e5, 3e7, 300)  # Pa; the critical pressure is 7.4 MPa
figure, axis = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
with tempfile.TemporaryDirectory() as folder:
    pack = Path(folder) / "exponent_pack"
    pack.mkdir()
    (pack / "catalogue.toml").write_text(CATALOGUE)
    (pack / "isentropicExponent.h").write_text(HEADER)
    os.environ["BRIDGE_PACKS"] = str(pack)
    os.environ["BRIDGE_CACHE"] = folder  # leave this out to keep what is built
    # Without --isa here, for machines with other processors too.
    command = [sys.executable, "-P", "-m", "bridge", "packs", "build", "--isa", "here"]
    subprocess.run(command, check=True)
    for T in (320.0, 360.0, 420.0, 600.0):
        result = bridge.evaluate("CO2", T, P, outputs="kPv")
        axis.semilogx(P / 1e6, result.kPv, label=f"{T:g} K")
axis.set(xlabel="P / MPa", ylabel="isentropic exponent ρc²/P", ylim=(0.0, 9.0))
axis.set_title("CO2: a kernel of one's own")
axis.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "pack.png", dpi=110)
