"""The worked example of docs/physics.md, section 18, to its last printed digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import TOLERANCES

import bridge

pytestmark = pytest.mark.usefixtures("backend")

SPECIES, T, P, Y = "O2 CH4 H2O", 250.0, 8e6, [[0.70, 0.25, 0.05]]

PRINTED = {
    "X": "0.5437155 0.38730306 0.06898144",
    "W": "0.024854012175616644",
    "a": "1.941255455350e-1",
    "a_T": "-3.970890553922e-4",
    "a_TT": "1.200306313741e-6",
    "b": "2.246899771381e-5",
    "A": "0.3594382480007623",
    "B": "0.08647677665566608",
    "nRoots": "1",
    "Z": "0.7323176692115645",
    "v": "1.902758714148e-4",
    "K": "4.735895507833e3",
    "P_v": "-3.163423121953e10",
    "P_T": "5.852143573299e4",
    "rho": "130.6209347030",
    "h": "-1.973452027885e6",
    "s": "6.303344865016e3",
    "u": "-2.034697953113e6",
    "cp": "2075.781046829",
    "cv": "986.8104290121",
    "c": "311.3422175100",
    "rho_p": "2.170060205635e-5",
    "rho_T": "-1.269950388608",
    "h_p": "-1.095232328373e-2",
    "lnphi_i": "-9.9410671476e-2 -3.0033526715e-1 -1.4844846795",
    "hbar_i": "-2.0552839183e3 -7.8425169755e4 -2.5450908229e5",
    "vbar_i": "2.4212620068e-4 1.8574363752e-4 -1.9296460967e-4",
    "sigma_m": "3.505400308",
    "eps_m": "150.3923417",
    "M_m": "22.37314467",
    "omega_m": "0.03602890998",
    "mr4": "0.1014724871",
    "kappa_m": "3.616413498e-4",
    "Tcm_chung": "189.3890759",
    "Vcm_chung": "81.35182435",
    "cv_ideal": "23.1050670979",
    "y": "0.07125778634",
    "eta0": "1.285167261e-5",
    "psi": "1.386441881",
    "eta": "1.581518281e-5",
    "lambda": "0.03219044595",
    "Tcm": "202.49171915",
    "PcKay": "6.0452479598e6",
    "Pcm": "5.8188219084e6",
    "Vcm": "8.1949315128e-5",
    "Tr": "1.2346183886",
    "Pr": "1.3233534924",
    "takahashi": "0.7239257919",
    "D_im": "9.45798862e-8 1.76782366e-7 1.33308848e-7",
}
PUBLISHED = {"eta": "1.747841505e-5", "lambda": "0.03250812852"}


def digits_off(value: float, printed: str) -> float:
    """Distance from a printed number, in units of its last digit; doubles have 15 of their own."""
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    unit = max(10.0**-decimals, 1e-15 * abs(float(printed)))
    return abs(value - float(printed)) / unit


def check(got: dict[str, np.ndarray], printed: dict[str, str]) -> None:
    for name, text in printed.items():
        values = np.atleast_1d(got[name][0])
        for value, number in zip(values, text.split(), strict=True):
            assert digits_off(value, number) <= TOLERANCES["example"]["digits"], (name, value)


def test_default_flags() -> None:
    got = bridge.evaluate(SPECIES, [T], P, Y, tuple(PRINTED), stability="off")
    check(got, PRINTED)
    assert got["status"][0] == 0


def test_binary_coefficients() -> None:
    got = bridge.evaluate(SPECIES, [T], P, Y, ("D0_ij",))["D0_ij"][0]
    printed = "1.89809725e-7 2.02275498e-7 1.80813750e-7 2.03824585e-7 1.79984302e-7".split()
    for value, number in zip(got[:5], printed, strict=True):
        assert digits_off(value, number) <= TOLERANCES["example"]["digits"]


def test_published_transport() -> None:
    options = {"chungDense": "PUBLISHED"}
    got = bridge.evaluate(SPECIES, [T], P, Y, tuple(PUBLISHED), options=options, stability="off")
    check(got, PUBLISHED)


@pytest.mark.parametrize("T0", [300.0, 1.2 * T, 3000.0, 20.0, 6000.0])
def test_temperature_back(T0: Any) -> None:
    h = bridge.evaluate(SPECIES, [T], P, Y, ("h",), stability="off")["h"]
    got = bridge.evaluate(SPECIES, None, [P], Y, ("rho",), h=h, T0=T0, stability="off")
    assert abs(got["T"][0] - T) < TOLERANCES["reference"]["temperature"] * T
    assert digits_off(got["rho"][0], "130.62093") <= 1.0
    assert 1 <= got["iterations"][0] <= 15 and got["status"][0] == 0
