"""The kernel of CONTRIBUTING.md, as it is printed, compiled and run: as a pack, which needs no
build of all other kernels."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from packsbuilt import built_once
from sharing import Once

import bridge

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.mark.usefixtures("one_isa")
def test_the_kernel_of_the_page_runs(once: Once, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.findall(r"^ +```(cpp|toml)\n(.*?)^ +```", PAGE.read_text("utf-8"), re.S | re.M)
    listings = {kind: textwrap.dedent(text) for kind, text in found}
    files = {
        "prandtlNumber.h": listings["cpp"].replace('"../point.h"', '"point.h"'),
        "catalogue.toml": listings["toml"].replace("transport/", "").replace('cost = "1"\n', ""),
    }
    folder, cache = built_once(once, "contributing", files)
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    got = bridge.evaluate(
        "O2 CH4", [300.0, 500.0], 1e6, [0.5, 0.5], "prandtl eta cp lambda", backend="cpu"
    )
    assert np.allclose(got["prandtl"], got.eta * got.cp / got["lambda"], rtol=1e-14)
    assert ((got["prandtl"] > 0.5) & (got["prandtl"] < 1.2)).all()
