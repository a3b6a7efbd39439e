"""What a check found, in words and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from bridge_port.check.comparing import WORDS, Counts, Output


@dataclass
class Machine:
    """One kernel on one instruction set or GPU. failure: what is wrong besides differences;
    states: inputs of the first failing point; left: of which nothing is compared, by reason and
    output, so that with those that are compared all states are counted; partly: of which some
    values are not compared."""

    name: str
    outputs: list[Output] = field(default_factory=list)
    failure: str = ""
    states: dict[str, list[float]] = field(default_factory=dict)
    left: Counts = field(default_factory=dict)
    partly: Counts = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.failure and all(not one.failing for one in self.outputs)


@dataclass
class Result:
    """kernel: its name, of a nest those of all; points: that were tried, of a nest elements of its
    variables in all runs; runs: of a nest; outside, jumps, died,
    endless, nans: where the original says nothing; stopped: where it stops, of which the kernel's
    status alone is compared; failure: why nothing was compared; notes: lines."""

    kernel: str
    kind: str
    points: int = 0
    runs: int = 0
    outside: int = 0
    jumps: int = 0
    died: int = 0
    endless: int = 0
    stopped: int = 0
    unset: int = 0
    nans: int = 0
    failure: str = ""
    machines: list[Machine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.failure and bool(self.machines) and all(m.passed for m in self.machines)

    def json(self) -> dict[str, Any]:
        found = asdict(self)
        found["passed"] = self.passed
        for machine, own in zip(found["machines"], self.machines, strict=True):
            machine["passed"] = own.passed
        return _finite(found)  # type: ignore[no-any-return]

    def text(self) -> str:
        tried = f"{self.points} states"
        if self.runs:
            tried = f"{self.points} elements of its variables in {self.runs} runs"
        lines = [f"{self.kernel}: {self.kind}, {tried}"]
        counted = {m.name: self._left_out(m) for m in self.machines if m.outputs}
        first = next(iter(counted.values()), [])
        if not counted:
            known = {"died": self.died, "endless": self.endless}
            first = [
                f"{n} states not compared, {WORDS[reason]}" for reason, n in known.items() if n
            ]
        if all(one == first for one in counted.values()):
            lines += [f"  {one}" for one in first]
        else:
            lines += [f"  {name:<4} {one}" for name, own in counted.items() for one in own]
        lines += [f"  {note}" for note in self.notes]
        if self.failure:
            lines.append(f"  not verified: {self.failure}")
        for machine in self.machines:
            lines += _machine(machine)
        return "\n".join(lines)

    def _left_out(self, m: Machine) -> list[str]:
        """What is not compared, each reason on a line where it is the same for all outputs."""
        what = "elements" if self.runs else "states"
        lines = []
        for counts, how in ((m.left, "not compared,"), (m.partly, "compared in part, not")):
            for reason, words in WORDS.items():
                found = counts.get(reason, {})
                if self.runs:
                    found = {"": sum(found.values())} if found else {}
                elif reason == "stopped" or len(found) == len(m.outputs):
                    if len(set(found.values())) == 1:
                        found = {"": next(iter(found.values()))}
                by: dict[int, list[str]] = {}
                for name, number in found.items():
                    by.setdefault(number, []).append(name)
                for number, names in by.items():
                    of = f" of {', '.join(names)}" if all(names) else ""
                    told = words if reason == "kept" else f"{how} {words}"
                    lines.append(f"{number} {what}{of} {told}")
        return lines


def _machine(m: Machine) -> list[str]:
    lines = []
    for one in m.outputs:
        mark = "differs" if one.failing else "same"
        lines.append(
            f"  {m.name:<4} {one.name:<24} {one.compared:>7} compared, largest difference "
            f"{one.difference:.2e} ({one.worst:.2g} of the tolerance) {mark}"
        )
    first = next((one for one in m.outputs if one.failing), None)
    if first is not None:
        lines.append(f"  {m.name:<4} {first.failing} states differ in {first.name}, the first:")
        lines += [f"         {name} = {_numbers(values)}" for name, values in m.states.items()]
        lines.append(f"         original {first.name} = {_numbers(first.original)}")
        lines.append(f"         kernel   {first.name} = {_numbers(first.kernel)}")
    if m.failure:
        lines.append(f"  {m.name:<4} fails: {m.failure}")
    return lines


def _numbers(values: list[float]) -> str:
    text = ", ".join(f"{x:.17g}" for x in values[:9])
    return text + (f", ... ({len(values)})" if len(values) > 9 else "")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
