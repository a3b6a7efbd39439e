"""TVImpl: views by name, launchers by name, the safe launch and prepared runs.

What TVProperties does not show its callers (the talk's pimpl). It moves names to memory and
launches plans on it; what the kernels compute it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bridge.backends.base import Backend, Binding, RepeatingProgram
from bridge.errors import ArgumentError, BridgeError, DeviceError, StateError, failed
from bridge.launchers import AtOnce, Launcher, Watch
from bridge.memory.constants import Constants, ConstantView
from bridge.memory.qlayout import q_columns
from bridge.memory.tables import Tables
from bridge.memory.views import View, Views, Written
from bridge.memory.viewuse import OneCall, foreign, this_thread
from bridge.plan.inputs import ALIASES, DEFAULTS, STAND_INS, begins_at_zero, in_place_of
from bridge.plan.plan import Plan
from bridge.prepared import (
    VIEWS,
    Change,
    Held,
    Inputs,
    Look,
    Prepared,
    PreparedLaunch,
    PreparedRun,
    any_foreign,
)
from bridge.request import Request
from bridge.resident.residency import Residency
from bridge.resident.uses import Touched
from bridge.staged import StagedLauncher
from bridge.timers import Timers


def _refuse_neighbours(plan: Plan) -> None:
    """Views are points without neighbours, which no line joins."""
    if plan.block_kernels:
        kernels = ", ".join(plan.block_kernels)
        raise StateError(
            f"{plan.name} reads neighbours ({kernels}), which views do not have: bind the arrays "
            "to a set and call frame_run"
        )


def _spelled(name: str, held: Held, first: int) -> str:
    """An input and where it is read: a value of all points, or a column of a view."""
    return f"{name}@{'' if isinstance(held, ConstantView) else held.name}.{first}"


class TVImpl:
    """Storage and launches of one Frame. backend: where views live.

    n_grid_points: the most points of a launch; prepared: what is kept for launches on views, and
    with whose changes that of sets changes.
    """

    def __init__(self, request: Request, backend: Backend, timers: Timers) -> None:
        self.backend = backend
        self.catalogue = request.catalogue
        self.n_grid_points = request.nGridPoints
        self.ns = request.ns
        self.nq = request.nq
        self.timers = timers
        self._launch_mode = request.launch_mode
        self.views = Views(backend, self.n_grid_points)
        self.use = OneCall()
        self.residency = Residency(backend, request.check_residency)
        # where the columns of view "Q" belong: first column and columns by name
        self._q_columns = q_columns(request.layout, self.ns, self.nq) or {}
        self.constants = Constants(backend, self.catalogue, self.ns, self.n_grid_points)
        self.tables = Tables(backend, self.catalogue)
        self.prepared = Prepared()
        timers.settle = self.prepared.settle
        self._launchers: dict[tuple[str, ...], Launcher] = self.prepared.of(Launcher)
        #: What wants to know of launches and runs; None in most Frames.
        self.watch: Watch | None = None

    def watch_by(self, watch: Watch | None) -> None:
        """Something wants to know of launches and runs from now on, or nothing any more."""
        self.watch = watch
        self.prepared.changed(Change.WATCH)

    def look_at(self, of: Any) -> Look | None:
        """What looks at each part of a run of a set; None where nobody does."""
        watch = self.watch
        if watch is None:
            return None
        return lambda launcher: watch.before(launcher, launcher.points, of)

    def tell_by(self, written: Callable[[], Written]) -> None:
        """What is made so tells what views and constants hold; nobody has written any yet."""
        self.views.written = written
        self.constants.tell_by(written)

    # ---- views by name ------------------------------------------------------------------

    def view(self, name: str) -> View:
        """The view `name`, made now if need be; ArgumentError where there is no such quantity."""
        name = ALIASES.get(name, name)
        view = self.views.get(name)
        if view is not None:
            return view
        if name == "Q":
            if self.nq < 1:
                raise ArgumentError("nq", self.nq, "at least 1 component for view 'Q'")
            return self._made("Q", "", self.nq, "float64", False)
        quantity = self.catalogue.quantities.get(name)
        if quantity is None:
            raise self.catalogue.unknown(name)
        columns = self.catalogue.columns(name, self.ns)
        return self._made(name, quantity.unit, columns, quantity.dtype, quantity.columns == "1")

    def _made(self, name: str, unit: str, columns: int, dtype: str, per_point: bool) -> View:
        view = self.views.require(name, unit, columns, dtype, per_point)
        self.prepared.state[VIEWS] = self.views.allocations
        return view

    def source(self, name: str) -> tuple[Held, int, int] | None:
        """The memory that holds quantity `name` now: its own view, the value of a constant, or
        columns of Q, the latest of them."""
        self._fill_default(name)
        best: tuple[Held, int, int] | None = None
        for held in (self.constants.get(name), self.views.get(name)):
            if held is not None and held.filled and (best is None or held.stamp > best[0].stamp):
                best = (held, 0, held.columns)
        q = self.views.get("Q")
        if q is not None and q.filled and name in self._q_columns:
            first, columns = self._q_columns[name]
            if best is None or q.stamp > best[0].stamp:
                best = (q, first, columns)
        return best

    def latest(self, inputs: Iterable[str]) -> list[str]:
        """These inputs of a composite, each by its stand-in where that was written last."""
        return [self._latest(name) for name in inputs]

    def _latest(self, name: str) -> str:
        if name not in STAND_INS:
            return name
        own, other = self.source(name), self.source(STAND_INS[name])
        later = other is not None and (own is None or other[0].stamp > own[0].stamp)
        return STAND_INS[name] if later else name

    def _fill_default(self, name: str) -> None:
        """One value everywhere in a view that has a default and that the caller left empty."""
        if name in DEFAULTS and not self.view(name).filled:
            view = self.view(name)
            view.array[...] = DEFAULTS[name]
            view.mark(view.n_grid_points, this_thread())

    # ---- launchers by name --------------------------------------------------------------

    def launch_kernel(self, name: str, n: int) -> PreparedLaunch:
        """One named kernel on the first n points of the current views; what is returned does the
        same again."""
        plan = self.catalogue.single(name, self.ns)
        _refuse_neighbours(plan)
        self._require(name, plan, n)
        chosen = {q: self._constant(q) for q in plan.inputs if self.constants.get(q)}
        key = ("kernel", name, *(q for q, held in chosen.items() if held is self.views.get(q)))
        launcher = self._launchers.get(key)
        if launcher is None:
            launcher = Launcher(name, plan, self.backend, self.timers[name])
            held = {q: chosen.get(q) or self.view(q) for q in (*plan.inputs, *plan.outputs)}
            launcher.bind({q: one.binding() for q, one in held.items()})
            self._launchers[key] = launcher
        inputs: Inputs = [
            (chosen[q], self._rivals(q, chosen[q])) if q in chosen else (self.view(q), ())
            for q in plan.inputs
            if not begins_at_zero(q)
        ]
        self._refuse_foreign(name, inputs)
        return self._launch(launcher, inputs, plan, n)

    def _constant(self, name: str) -> Held:
        """What holds a constant now: its value, or its view where that was filled later."""
        source = self.source(name)
        assert source is not None, f"{name} was required before"
        return source[0]

    def need_given(self, plan: Plan, constants: Iterable[str]) -> None:
        """StateError where a plan needs a constant that has no value or a table that nobody
        filled; constants: those that it reads from here and not from arrays."""
        self.constants.need(plan.name, constants)
        self.tables.need(plan.name, plan.tables)

    def _refuse_foreign(self, launch: str, inputs: Inputs) -> None:
        """StateError where an input is not what the calling thread put there."""
        thread = this_thread()
        for view, rivals in inputs:
            written = any_foreign(view, rivals, thread)
            if written is not None:
                raise foreign(launch, written.name)

    def _launch(self, launcher: Launcher, inputs: Inputs, plan: Plan, n: int) -> PreparedLaunch:
        outputs = [self.view(name) for name in plan.outputs]
        prepared = PreparedLaunch(self.safe_launch, launcher, inputs, outputs, self.views)
        prepared.launch(n, this_thread())
        return prepared

    def _require(self, launch: str, plan: Plan, n: int) -> None:
        """Every input view must hold n points, but for those that begin at zero."""
        self.need_given(plan, self._without_views(plan))
        for name in plan.inputs:
            self._fill_default(name)
            view = self._constant(name) if self.constants.get(name) else self.views.get(name)
            filled = view.filled if view is not None else 0
            if filled < n and not begins_at_zero(name):
                raise StateError(
                    f"{launch} on {n} points needs view '{name}', which holds {filled}: "
                    "populate it first, or launch the kernel that makes it"
                )

    def _without_views(self, plan: Plan) -> list[str]:
        """Inputs of a plan that no view gives."""
        views = {name: self.views.get(name) for name in plan.inputs}
        return [name for name, view in views.items() if view is None or not view.filled]

    def launch_composite(self, plan: Plan, n: int) -> PreparedLaunch:
        """A composite on the first n points of the current views; what is returned does the same
        again."""
        _refuse_neighbours(plan)
        self.need_given(plan, self._without_views(plan))
        chosen: list[tuple[str, Held, int, int]] = []
        for name in plan.inputs:
            source = self.source(name)
            if source is None or source[0].filled < n:
                filled = 0 if source is None else source[0].filled
                raise StateError(
                    f"{plan.name} on {n} points needs '{name}', but the view has {filled} points: "
                    f"populate '{name}' or 'Q' first"
                )
            chosen.append((name, *source))
        key = (plan.name, *(_spelled(name, view, first) for name, view, first, _ in chosen))
        launcher = self._launchers.get(key)
        if launcher is None:
            launcher = Launcher(plan.name, plan, self.backend, self.timers[plan.name])
            bindings = {name: v.binding(first, columns) for name, v, first, columns in chosen}
            for name in plan.outputs:
                bindings.setdefault(name, self.view(name).binding())
            launcher.bind(bindings, self._launch_mode)
            self._launchers[key] = launcher
        inputs = [(view, self._rivals(name, view)) for name, view, _, _ in chosen]
        self._refuse_foreign(plan.name, inputs)
        return self._launch(launcher, inputs, plan, n)

    def _rivals(self, name: str, view: Held) -> tuple[Held, ...]:
        """What would be taken for an input in place of this one, were it filled later."""
        constant = self.constants.get(name)
        names = {*in_place_of(name), "Q"} if constant is None else {name}
        found: list[Held | None] = [constant, *(self.views.get(rival) for rival in names)]
        return tuple(rival for rival in found if rival is not None and rival is not view)

    def safe_launch(self, launcher: Launcher, n: int) -> None:
        """Launch on the first n points; what goes wrong is reported with the launch's name."""
        if n == 0:
            return
        after = None if self.watch is None else self.watch.before(launcher, n)
        try:
            launcher.launch(0, n)
        except BridgeError:
            raise
        except Exception as error:
            raise failed(f"{launcher.name} on {n} points", error) from error
        if after is not None:
            after()

    # ---- runs of sets -----------------------------------------------------------------

    def make_runner(
        self, plan: Plan, components: Sequence[Mapping[str, Binding]], moved: int,
        touched: Touched | None = None, what: str = "run",
    ) -> Launcher:  # fmt: skip
        """A launcher whose program reads and writes the caller's own arrays, or the copies that
        they have on the device, all components of them; moved: bytes of a run; touched: resident
        arrays that want to know of its runs; what: for its timer."""
        timer = self.timers.moving(f"{what} {plan.name}", moved)
        kind = StagedLauncher if plan.around or plan.ordered else Launcher
        launcher = kind(plan.name, plan, self.backend, timer)
        launcher.bind(components[0], further=components[1:])
        launcher.touched = touched
        return launcher

    def prepared_run(
        self, launchers: Sequence[Launcher], name: str, label: str, of: Prepared
    ) -> PreparedRun:
        """All points of these launchers, in chunks of `n_grid_points` where their programs do not
        go over them by themselves."""
        parts = [
            one.all_points(self.n_grid_points, self.timers[f"wait {one.plan.name}"])
            for one in launchers
        ]
        return PreparedRun(name, launchers, parts, label, self._failed, of)

    def reducing_run(
        self, launcher: Launcher, program: RepeatingProgram, name: str, label: str, of: Prepared
    ) -> PreparedRun:
        """All points of a launcher by a program that stands for its own."""
        part = AtOnce([(program, launcher.points)], launcher.timer)
        return PreparedRun(name, [launcher], [part], label, self._failed, of)

    def _failed(self, what: str, plan: Plan, error: Exception) -> BridgeError:
        return self.failed(what, (plan,), error)

    def failed(self, what: str, plans: Sequence[Plan], error: Exception) -> BridgeError:
        """The failure of a run, with what it leaves behind; plans: that were run."""
        outputs = dict.fromkeys(name for plan in plans for name in plan.outputs)
        told = f"{what}, incomplete are {', '.join(outputs)}"
        rewritten = [n for n in outputs if any(n in p.inputs and n in p.outputs for p in plans)]
        if rewritten:
            told += f"; do not run again: {', '.join(rewritten)} may be partly updated"
        if isinstance(error, DeviceError):
            told += self.residency.alone()
        return failed(told, error)

    def close(self) -> None:
        """Give the backend's memory back."""
        self.residency.close()
        self.backend.close()
