"""Rows of a benchmark and the machine they were measured on, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from bridge.machine import processor
from bridge.output import write_file
from bridge.progress import say


@dataclass(frozen=True)
class Row:
    """One figure. ratio: how many times better than `reference` in the same run."""

    name: str
    params: dict[str, Any]
    value: float
    unit: str
    reference: str | None = None
    ratio: float | None = None


def machine() -> dict[str, Any]:
    """Facts about where a benchmark ran."""
    return {
        "date": date.today().isoformat(),
        "command": " ".join(["bridge", *sys.argv[1:]]),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


@dataclass
class Report:
    """What `bridge bench NAME` prints and writes; summary: a table that is printed instead of one
    line for each row."""

    title: str
    rows: list[Row] = field(default_factory=list)
    summary: str = ""
    machine: dict[str, Any] = field(default_factory=machine)

    def text(self) -> str:
        from tabulate import tabulate

        table = [
            (
                row.name,
                " ".join(f"{key}={value}" for key, value in row.params.items()),
                row.value,
                row.unit,
                row.reference or "",
                "" if row.ratio is None else f"{row.ratio:.2f}",
            )
            for row in self.rows
        ]
        facts = ", ".join(str(value) for value in self.machine.values())
        if self.summary:
            return f"{self.title}\n{facts}\n\n{self.summary}"
        headers = ("what", "parameters", "value", "unit", "reference", "times better")
        return f"{self.title}\n{facts}\n\n{tabulate(table, headers, floatfmt='.3f')}"

    def write(self, path: str) -> None:
        """The rows so far as JSON: a file that is there already is replaced as a whole."""
        told = {"machine": self.machine, "rows": [asdict(row) for row in self.rows]}
        write_file(path, [json.dumps(told, indent=1)])


def progress(text: str) -> None:
    """A line as soon as there is something to say: a long benchmark that is ended early has then
    told what it measured."""
    say(text)
