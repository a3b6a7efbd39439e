"""What of the bridge is timed: programs of the CPU backend on views that hold the states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cpu.backend import CpuBackend
from bridge.measuring.states import States
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.plan.catalogue import Catalogue

#: The two sets of properties that are timed, without and with the transport properties.
THERMAL = ("rho", "h", "cp", "cv", "rho_p", "rho_T", "h_p", "h_T", "c")
FULL = (*THERMAL, "eta", "lambda", "D_im")
SETS = {"thermal-set": THERMAL, "full-set": FULL}


class ViewProgram:
    """A set of properties evaluated from views into views, as a Frame does between stripes.

    outputs: names, or the composite that has them; results: name -> (columns, n); ns, points: of
    the states; given: what is known of the points beside Y, T and P where it is None; options: of
    the physics; block: points of a block.
    """

    def __init__(
        self,
        states: States,
        outputs: tuple[str, ...] | str,
        *,
        omega11: str = "exact",
        options: Mapping[str, str] | None = None,
        given: Mapping[str, np.ndarray] | None = None,
        threads: int = 1,
        isa: str | None = None,
    ) -> None:
        chosen = Options.parse({"omega11": omega11, **(options or {})})
        catalogue, ns = Catalogue.shipped().with_options(chosen), states.ns
        backend = CpuBackend(threads, isa)
        backend.set_shared(SharedData(states.species, chosen))
        inputs = {"T": states.T, "P": states.P} if given is None else dict(given)
        inputs["Y"] = states.Y.T
        if isinstance(outputs, str):
            plan = catalogue.composite_plan(catalogue.composite(outputs), ns)
        else:
            plan = catalogue.plan([*outputs, "status"], list(inputs), ns, name="bench")
        self.results: dict[str, np.ndarray] = {}
        bindings: dict[str, Binding] = {}
        for name in (*plan.inputs, *plan.outputs):
            dtype = catalogue.quantity(name).dtype
            array = backend.allocate(catalogue.columns(name, ns), states.n, dtype)
            if name in inputs:
                array[...] = inputs[name]
            else:
                self.results[name] = array
            box = Box.flat(states.n, array.strides[0] // array.itemsize)
            bindings[name] = Binding(array.address, box, len(array), dtype=dtype, owner=array)
        program = backend.executor(plan, bindings)
        self.block = program.block
        self.ns, self.points = ns, states.n
        self._run = program.run
        self.isa = backend.library.isa

    def run(self) -> None:
        self._run(0, self.points)


def worst_difference(ours: ViewProgram, theirs: Any, full: bool) -> float:
    """Largest relative difference from the Fortran's results; infinity where status words differ.

    Enthalpies cross zero: they are compared in c^2. Programs with different answers are not timed.
    """
    speed2 = theirs.thermal[:, 8] ** 2
    worst = 0.0
    for k, name in enumerate(THERMAL):
        reference = theirs.thermal[:, k]
        scale = np.maximum(np.abs(reference), speed2 if name == "h" else 0.0)
        if name == "h_p":
            scale = np.maximum(scale, 1.0 / theirs.thermal[:, 0])
        worst = max(worst, _largest(ours.results[name][0] - reference, scale))
    if full:
        for name, reference in (("eta", theirs.eta), ("lambda", theirs.lambda_)):
            worst = max(worst, _largest(ours.results[name][0] - reference, reference))
        D = theirs.D_im.T
        worst = max(worst, _largest(ours.results["D_im"] - D, D))
    unequal = np.count_nonzero(ours.results["status"][0] != theirs.status)
    return worst if unequal <= 2e-3 * len(theirs.status) else np.inf  # rounding decides a few


def _largest(difference: np.ndarray, scale: np.ndarray) -> float:
    return float(np.nanmax(np.abs(difference / scale)))
