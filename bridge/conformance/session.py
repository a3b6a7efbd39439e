"""Compiles and runs the programs of a self-test in a folder, and prints a line for each check."""

from __future__ import annotations

import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bridge.conformance.tools import variables

#: Seconds that one compilation or one program may take.
LIMIT = 300
#: Lines of a compiler's or a program's words that are shown of a failure.
SHOWN = 15


class Session:
    """failed, passed: how many checks did; skipped: what was not looked at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.passed = self.failed = 0
        self.skipped: list[str] = []

    def right(self, label: str) -> None:
        self.passed += 1
        print(f"pass  {label}", flush=True)

    def wrong(self, label: str, why: str) -> None:
        self.failed += 1
        print(f"FAIL  {label}")
        for line in why.strip().splitlines()[:SHOWN]:
            print(f"      {line}")
        print(end="", flush=True)

    def skip(self, label: str, why: str) -> None:
        self.skipped.append(label)
        print(f"skip  {label}: {why}", flush=True)

    def compile(self, label: str, command: Sequence[str], folder: Path | None = None) -> bool:
        """One command of a compiler, whose words are told where it fails."""
        if said := self.refusal(command, folder):
            self.wrong(label, said)
            return False
        self.right(label)
        return True

    def refusal(self, command: Sequence[str], folder: Path | None = None) -> str:
        """What a compiler said that failed; nothing where it did not."""
        try:
            done = subprocess.run(
                command, cwd=folder or self.folder, capture_output=True, text=True,
                timeout=LIMIT, errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{shlex.join(command)}\n{error}"
        if done.returncode:
            return f"{shlex.join(command)}\n{done.stderr or done.stdout or done.returncode}"
        return ""

    def run(self, name: str, command: Sequence[str]) -> None:
        """A program that prints `T name` or `F name | why` for a check, and `end` at its end."""
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=variables(), capture_output=True, text=True,
                timeout=LIMIT, errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            self.wrong(f"{name}: runs", str(error))
            return
        latest = "its start"
        for line in done.stdout.splitlines():
            mark, _, label = line.partition(" ")
            if mark == "T":
                self.right(label)
                latest = f"'{label}'"
            elif mark == "F":
                label, _, why = label.partition(" | ")
                self.wrong(label, why)
                latest = f"'{label}'"
        if done.returncode or "end" not in done.stdout.splitlines():
            code = done.returncode
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
            said = "\n".join(done.stderr.strip().splitlines()[-SHOWN:])
            self.wrong(f"{name}: goes to its end", f"ended with {how} after {latest}\n{said}")
        else:
            self.right(f"{name}: goes to its end")
