"""Fortran that drives originals: for each a subroutine that loops over points and calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge_port.check.shim import Shim, access
from bridge_port.kernel import Kernel
from bridge_port.syntax.units import Unit


@dataclass
class Case:
    """A procedure and its kernel. ranges: of arguments by name, (0.5, 2) and (-3, 8) else."""

    unit: Unit
    kernel: Kernel
    program: Any
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    fixed: Mapping[str, int | str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    procedures: Mapping[str, Unit] = field(default_factory=dict)


def driver(cases: Sequence[Case], ns: int, setup: tuple[str, str]) -> str:
    """zz_run_KERNEL for each case, zz_host_NAME for each value of the host, zz_setup."""
    parts = []
    hosts: dict[str, str] = {}
    for case in cases:
        kernel = case.kernel
        values = {name: v for name, v in case.fixed.items() if isinstance(v, int)}
        texts = {name: v for name, v in case.fixed.items() if isinstance(v, str)}
        name = f"zz_run_{kernel.name}"
        shim = Shim(
            case.program, case.unit, kernel, ns, values, types=case.types, name=name, texts=texts,
            procedures=case.procedures,
        )  # fmt: skip
        parts.append(str(shim.procedure()))
        for value in [*kernel.constants, *kernel.tables]:
            if value.name not in hosts:
                hosts[value.name] = str(access(case.program, case.unit, ns, value))
    parts += hosts.values()
    if setup[1]:
        parts.append(
            f"subroutine zz_setup() bind(c)\n  {setup[0]}\n  {setup[1]}\nend subroutine zz_setup\n"
        )
    return "\n".join(parts)
