"""A pack whose kernel is right on one instruction set and wrong on another, as a
compiler may make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from blocks import orders, stencils
from packsbuilt import built_once, ends
from sharing import Once

import bridge
from bridge.backends.host import library
from bridge.plan import packbuild, packs

CATALOGUE = """
[quantity.vf_u]
unit = "1"
columns = 3
[quantity.vf_p]
unit = "1"
[quantity.vf_e]
unit = "1"
[quantity.vf_f]
unit = "1"
columns = 2
[quantity.vf_g]
unit = "1"
[quantity.vf_n]
unit = "1"
type = "int32"
[constant.vf_gamma]
unit = "1"
value = 1.4
[table.vf_table]
unit = "1"
rank = 1

[[kernel]]
name = "vfEnergy"
header = "energy.h"
inputs = ["vf_u", "vf_p", "vf_gamma"]
outputs = ["vf_e", "vf_n"]
tables = ["vf_table"]
[[kernel]]
name = "vfFlux"
header = "flux.h"
inputs = ["vf_e", "vf_u"]
outputs = ["vf_f"]

[[kernel]]
name = "vfGradient"
header = "gradient.h"
inputs = ["vf_p", "vf_n"]
outputs = ["vf_g"]
reads = { vf_p = { x = [-1, 1] } }
[[kernel]]
name = "vfLimited"
header = "gradient.h"
inputs = ["vf_u", "vf_g"]
outputs = ["vf_u"]

[[composite]]
name = "vfSteps"
inputs = ["vf_u", "vf_p"]
outputs = ["vf_g", "vf_u"]
steps = ["vfEnergy", "vfGradient", "vfLimited", "vfLimited"]

[[composite]]
name = "vfAll"
inputs = ["vf_u", "vf_p"]
outputs = ["vf_e", "vf_n", "vf_f"]
"""
ENERGY = """#pragma once
#include "point.h"
#include "table.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class U>
BRIDGE_FN void vfEnergy(const Shared&, const Table<Real, 1>& table, const U& u, const Real& p,
                        const Real& gamma, Real& e, Bits<Real>& n) {
    const Real q = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    e = p / (gamma - 1.0) + q + table(Bits<Real>(p));
    n = flag<Real>(q > 1.0, 4);
}
}  // namespace BRIDGE_NAMESPACE
"""
GRADIENT = """#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class P>
BRIDGE_FN void vfGradient(const Shared&, const P& p, const Bits<Real>& n, Real& g) {
    g = (p.template at<1, 0, 0>() - p.template at<-1, 0, 0>()) * 0.5 + Real(n);
}
template <class Real, class U, class Out>
BRIDGE_FN void vfLimited(const Shared&, const U& u, const Real& g, Out& limited) {
    for (int c = 0; c < 3; ++c) limited[c] = u[2 - c] * 0.5;
    limited[0] += g;
}
}  // namespace BRIDGE_NAMESPACE
"""
FLUX = """#pragma once
#include "point.h"
namespace BRIDGE_NAMESPACE {
template <class Real, class U, class F>
BRIDGE_FN void vfFlux(const Shared&, const Real& e, const U& u, F& f) {
    f[0] = u[0] * e;
    f[1] = select(u[1] > 1.9, u[1] * e * (1.0), u[1] * e);
}
}  // namespace BRIDGE_NAMESPACE
"""

WRONG = FLUX.replace("(1.0)", "(1.0 + 1e-7)")
Make = Callable[..., bridge.Frame]


def _built(place: Path, of_best: str) -> None:
    """The pack for two instruction sets, its library of the best one made of this header."""
    folder = place / "verified"
    folder.mkdir()
    best, *_, least = library.available()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(folder))
        patch.setenv("BRIDGE_CACHE", str(place / "cache"))
        made = {}
        for isa, flux in ((best, of_best), (least, FLUX)):
            for name, text in _files(flux).items():
                (folder / name).write_text(text)
            [made[isa]] = list(packbuild.build([folder], isas=[isa]))
        packs.forget()
        [pack] = packs.found()
        made[best].path.rename(pack.library(best))
    packs.forget()


@pytest.fixture(scope="session")
def right(once: Once) -> tuple[Path, Path]:
    """The pack as its author meant it."""
    place = once("verify_right", lambda place: _built(place, FLUX))
    return place / "verified", place / "cache"


@pytest.fixture(scope="session")
def broken(once: Once) -> tuple[Path, Path]:
    """The same sources; the library of the best instruction set was made of a wrong header."""
    place = once("verify_broken", lambda place: _built(place, WRONG))
    return place / "verified", place / "cache"


def _files(flux: str) -> dict[str, str]:
    return {"catalogue.toml": CATALOGUE, "energy.h": ENERGY, "flux.h": flux,
            "gradient.h": GRADIENT}  # fmt: skip


@pytest.fixture(scope="session")
def stencil_packs(once: Once) -> tuple[Path, Path]:
    """Kernels that read neighbours, for two instruction sets; as tests/blocks has them."""
    files = {
        "catalogue.toml": stencils.CATALOGUE + stencils.PLACED,
        "stencils.h": stencils.HEADER,
        "points.h": stencils.POINTS,
    }
    return built_once(once, "stencils", files, isas=ends())


@pytest.fixture(scope="session")
def order_packs(once: Once) -> tuple[Path, Path]:
    """Kernels whose points follow each other."""
    return built_once(once, "orders", {"catalogue.toml": orders.CATALOGUE,
                                       "orders.h": orders.HEADER}, isas=ends())  # fmt: skip


@pytest.fixture
def frame_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Make]:
    """Frames on the CPU, without species where none are named, that find a pack."""
    frames: list[bridge.Frame] = []
    if len(library.available()) < 2:
        pytest.skip("this machine runs one instruction set alone")

    def make(built: tuple[Path, Path] | None = None, ns: int = 0, **settings: Any) -> bridge.Frame:
        if built is not None:
            monkeypatch.setenv("BRIDGE_PACKS", str(built[0]))
            monkeypatch.setenv("BRIDGE_CACHE", str(built[1]))
        frame = bridge.Frame()
        chosen: dict[str, Any] = {"backend": "cpu", "threads": 1, "verify": "all",
                  "verify_file": str(tmp_path / "found")}  # fmt: skip
        for key, value in (chosen | settings).items():
            frame.set(key, value)
        frame.initialize(0, 64, ns, 5 + ns)
        frames.append(frame)
        return frame

    yield make
    for frame in frames:
        if frame.initialized:
            frame.finalize()
