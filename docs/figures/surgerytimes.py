"""Where the time of a step goes in each stage of the flow solver, on one rank of this machine.

Times come from the solver's own timers (TimerFile), medians of interleaved runs. What Fortran does
is sampled by `perf` with call chains; what the bridge does is in its timers (BRIDGE_TIMERS)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from compare import PARTS, read_timers

STUB = Path(__file__).resolve().parents[2] / "fortran_stub"
STAGES = ("none", "properties", "fluxes", "step")
#: Case -> number of species, and values beside those of its file.
CASES: dict[str, tuple[int, tuple[str, ...]]] = {
    "jet": (2, ()),
    "flow6": (6, ("Cells=64,64,1",)),
}
ROUNDS, WARMUP, HERTZ = 5, 20, 997
STEPS = {"none": 80, "properties": 220, "fluxes": 220, "step": 220}
#: So that a procedure is in the chain of calls under its name.
SAMPLED = "-fno-optimize-sibling-calls -fno-inline-functions-called-once"
#: Composites of the bridge that have the name of a legacy subroutine.
COMPOSITES = ("eosThermalFromRhoE", "prEOSViscousFluxProperties")

Chain = tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """Milliseconds a step: parts of TimerFile with time_loop, and rows of the bridge's timers."""

    parts: dict[str, float]
    rows: dict[str, float]


@dataclass(frozen=True)
class Samples:
    """Of the time loop. chains: of calls, the main program first, where they are whole. every: the
    number of samples; in the bridge's code a chain may be broken."""

    chains: Counter[Chain]
    every: int

    def share(self, procedure: str) -> float:
        """Of a step, with all that a procedure calls."""
        return sum(n for chain, n in self.chains.items() if procedure in chain) / self.every


@dataclass(frozen=True)
class Measured:
    runs: dict[str, dict[str, Run]]
    samples: dict[str, Samples]


def _done(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment}
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}")
    return done.stdout


def _program(folder: Path, flags: str) -> Path:
    given = [f"BUILD={folder}", f"BRIDGE_CONFIG={sys.executable} -P -m bridge.bridge_config"]
    _done(["make", "-s", *given, f"FFLAGS=-O2 -ffp-contract=off {flags}", "flow"], {}, STUB)
    return folder / "flow" / "flow"


def _pack(folder: Path, species: int) -> dict[str, str]:
    """Environment of runs that take the loops for this number of species."""
    environment = {
        "BRIDGE_PACKS": str(folder / "pack"), "BRIDGE_CACHE": str(folder / "cache"),
        "BRIDGE_BACKEND": "cpu", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    python = [sys.executable, "-P"]
    make = [str(STUB / "flow" / "make_pack.py"), str(folder / "pack"), str(species), "xy"]
    _done([*python, *make], {}, STUB)
    _done([*python, "-m", "bridge", "packs", "build", "--isa", "here"], environment, STUB)
    return environment


def _command(program: Path, case: str, stage: str, file: Path) -> list[str]:
    return [
        str(program), f"cases/{case}.nml", *CASES[case][1], f"Offload={stage}", "Phases=off",
        "Recorded=.false.", f"Steps={STEPS[stage]}", f"Warmup={WARMUP}", f"TimerFile={file}",
    ]  # fmt: skip


def _run(command: list[str], file: Path, environment: dict[str, str]) -> Run:
    bridge = file.with_suffix(".json")
    bridge.unlink(missing_ok=True)
    _done(command, {**environment, "BRIDGE_TIMERS": str(bridge)}, STUB)
    read = read_timers(file)
    steps = read["run"]["steps"]
    parts = {part: 1e3 * read[part]["max"] / steps for part in (*PARTS, "time_loop")}
    rows = json.loads(bridge.read_text())["over ranks"] if bridge.exists() else []
    return Run(
        parts,
        {row["name"]: 1e3 * row["total"]["mean"] / (steps + WARMUP) for row in rows},
    )


def _middle(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(run.get(name, 0.0) for run in runs) for name in runs[0]}


def measured(folder: Path) -> Measured:
    """Builds everything in a folder and runs it."""
    plain = _program(folder / "plain", "")
    named = _program(folder / "named", SAMPLED)
    runs: dict[str, dict[str, Run]] = {}
    samples: dict[str, Samples] = {}
    for case, (species, _) in CASES.items():
        environment = _pack(folder / case, species)
        every: dict[str, list[Run]] = {stage: [] for stage in STAGES}
        for _ in range(ROUNDS):
            for stage in STAGES:
                file = folder / "timers"
                every[stage].append(_run(_command(plain, case, stage, file), file, environment))
        runs[case] = {
            stage: Run(_middle([run.parts for run in all_]), _middle([run.rows for run in all_]))
            for stage, all_ in every.items()
        }
        if case == "jet":
            samples = {
                stage: _sampled(named, case, stage, folder, environment) for stage in STAGES
            }
    return Measured(runs, samples)


def _sampled(
    program: Path, case: str, stage: str, folder: Path, environment: dict[str, str]
) -> Samples:
    data, file = folder / "perf.data", folder / "timers"
    record = [
        "perf", "record", "-q", "-e", "cpu-clock", "-F", str(HERTZ), "--call-graph", "dwarf,8192",
        "-o", str(data),
    ]  # fmt: skip
    _done([*record, *_command(program, case, stage, file)], environment, STUB)
    found = list(chains(_done(["perf", "script", "-i", str(data), "-F", "ip,sym"], {}, folder)))
    inside = [n for n, chain in enumerate(found) if in_step(chain)]
    loop = found[inside[0] : inside[-1] + 1]
    return Samples(Counter(chain for chain in loop if in_step(chain)), len(loop))


def chains(text: str) -> Iterable[Chain]:
    """Of the output of `perf script -F ip,sym`, in order; empty where the main program is not in
    the chain."""
    for sample in re.split(r"\n\s*\n", text):
        names = [line.split(None, 1)[1] for line in sample.splitlines() if len(line.split()) > 1]
        names = [_plain(name) for name in reversed(names)]
        if names:
            yield tuple(names[names.index("MAIN__") :]) if "MAIN__" in names else ()


def _plain(symbol: str) -> str:
    """The procedure of a symbol of gfortran."""
    found = re.match(r"__\w+?_MOD_(\w+)", symbol)
    return found[1] if found else symbol.partition("@")[0].partition(".")[0]


def in_step(chain: Chain) -> bool:
    """Whether the time loop asked for it."""
    return any(name in chain[1:2] for name in ("maintimeexplicit", "rhstimestates", "timestep"))


class Row(NamedTuple):
    """depth: of calls below the time loop. share: of a step, with all that it calls."""

    depth: int
    procedure: str
    share: float


def tree(found: Counter[Chain], names: dict[str, str], least: float) -> list[Row]:
    """A step from above, the largest first, without mainTimeExplicit: the time loop asks for the
    states of a last stage by itself. names: lower case -> as the sources write it; others
    have no row. least: the smallest share that has one."""
    inside: Counter[Chain] = Counter()
    for chain, n in found.items():
        called = [name for name in chain if name != "maintimeexplicit"]
        inside[tuple(names[name] for name in called if name in names)] += n
    total = sum(inside.values())
    rows: list[Row] = []

    def below(path: Chain) -> None:
        depth = len(path)
        parts: Counter[str] = Counter()
        for chain, n in inside.items():
            if chain[:depth] == path and len(chain) > depth:
                parts[chain[depth]] += n
        for name, n in parts.most_common():
            if n >= least * total:
                rows.append(Row(depth, name, n / total))
                below((*path, name))

    below(())
    return rows


def kernels() -> dict[str, list[str]]:
    """Loops of fluxmodule.f90 -> the beginnings of their kernels' names, of make_pack.py."""
    text = (STUB / "flow" / "make_pack.py").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for routine, name in re.findall(r'port\(folder, "(\w+)", f?"(\w+)', text):
        found.setdefault(routine, []).append(f"run flow_{name}")
    return found


def rows_of(run: Run, routine: str) -> float:
    """What the bridge did of a routine, ms a step; zero if nothing."""
    if routine in COMPOSITES:
        return run.rows.get(f"run {routine}", 0.0)
    starts = kernels()[routine]
    return sum(
        time for row, time in run.rows.items()
        if any(re.fullmatch(f"{start}[xyz]?", row) for start in starts)
    )  # fmt: skip
