"""Breaks rules of the translator one by one, and says which test sees it.

    python -P tests/port/mutations/run.py [-j N] [WORD ...]

A rule is an entry of rules/ROOM/FILE.toml: the file of bridge_port, what is `there` (once), what
is put `instead`, and what the rule `says`. WORDs choose rules by their file and by what they say.
Each is broken in a process of its own, in memory alone. There

1. all procedures of the differential tests are translated, and all refusals asked for; a case that
   is refused or refuses something else is `caught` at once;
2. procedures whose text differs are compiled, shortest first, and compared with the originals;
3. where nothing was found, tests of texts, lines, names and values run.

A broken rule is `endless` where its process takes longer than a limit: a translator or a kernel
that does not end. It is stopped together with the compilers that it has started. A rule that has
`equal` gives equal results without it, and says why; it is counted, and run with --equal alone.

The exit status is 1 if a rule survives. A rule about values has to be caught by 1 or 2.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

HERE = Path(__file__).parent
ROOM = "bridge_port."
#: Seconds for one rule: of its process alone, however busy the machine is, and of the clock.
COMPUTING, LIMIT = 80, 900
#: (how it was caught, by what); "survived" of a rule that no test sees.
Outcome = tuple[str, str]


@dataclass(frozen=True)
class Rule:
    file: str
    says: str
    there: str
    instead: str
    #: Why results stay the same without the rule.
    equal: str = ""

    @property
    def module(self) -> str:
        return ROOM + self.file.removesuffix(".py").replace("/", ".")

    def broken(self, text: str) -> str:
        """The text of the file without the rule."""
        assert text.count(self.there) == 1, f"{self.file} has it {text.count(self.there)} times"
        return text.replace(self.there, self.instead)


def rules() -> list[Rule]:
    found = []
    for list_ in sorted((HERE / "rules").glob("*/*.toml")):
        table = tomllib.loads(list_.read_text())
        found += [Rule(table["file"], **entry) for entry in table["rule"]]
    return found


# ---- A rule broken in this process


class Breaking(importlib.abc.MetaPathFinder):
    """Imports one module with another text."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.rule.module:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        spec = next(s for f in others if (s := f.find_spec(name, path, target)) is not None)
        assert spec.origin is not None
        spec.loader = Broken(self.rule, name, spec.origin)
        return spec


class Broken(importlib.machinery.SourceFileLoader):
    def __init__(self, rule: Rule, name: str, path: str) -> None:
        super().__init__(name, path)
        self.rule = rule

    def get_code(self, fullname: str) -> CodeType:
        text = self.rule.broken(Path(self.path).read_text())
        return compile(text, self.path, "exec")


def tried(rule: Rule, unbroken: dict[str, str], folder: Path) -> Outcome:
    assert not any(name.startswith(ROOM) for name in sys.modules)
    sys.meta_path.insert(0, Breaking(rule))
    from port.mutations import seen

    return seen.seen(rule.file, unbroken, folder)


def unbroken_texts(folder: Path) -> dict[str, str]:
    from port.mutations import seen

    return seen.prepared(folder)


class Apart:
    """A function in a process of its own. A kernel that goes out of bounds ends it, one that does
    not end runs into the limit."""

    def __init__(self, folder: Path, function: Callable[..., Any], *arguments: Any) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.end, other = context.Pipe(duplex=False)
        self.process = context.Process(target=self.run, args=(other, folder, function, arguments))
        self.process.start()
        other.close()
        self.limit = time.monotonic() + LIMIT

    @staticmethod
    def run(
        end: Any, folder: Path, function: Callable[..., Any], arguments: Sequence[Any]
    ) -> None:
        os.setsid()  # it and its compilers are stopped together
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)  # with what they leave
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (COMPUTING, COMPUTING + 5))
        end.send(function(*arguments))

    @property
    def ended(self) -> bool:
        return self.end.poll() or not self.process.is_alive() or time.monotonic() > self.limit

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def result(self) -> Any:
        """What the function gave, or an outcome."""
        late = self.process.is_alive() and not self.end.poll()
        found = None
        with contextlib.suppress(EOFError):
            found = self.end.recv() if self.end.poll() else None
        if found is None and not late:
            self.process.join()
        code = self.process.exitcode
        self.stop()
        if found is not None:
            return found
        if late or code in (-signal.SIGXCPU, -signal.SIGPROF):
            what = "a kernel" if code == -signal.SIGPROF else "the translator or a kernel"
            return "endless", f"{what} does not end"
        if code is not None and code < 0:
            return "differential", signal.Signals(-code).name
        return "error", "of this program itself, see above"


# ---- All rules


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--equal", action="store_true", help="run what gives equal results, too")
    asked = parser.parse_args(words)
    chosen = [
        rule
        for rule in rules()
        if not asked.words or any(w in f"{rule.file} {rule.says}" for w in asked.words)
    ]
    counts: dict[str, int] = {}
    if not asked.equal:
        counts["equal"] = sum(bool(rule.equal) for rule in chosen)
        chosen = [rule for rule in chosen if not rule.equal]
    running: dict[Apart, Rule] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        first = Apart(folder, unbroken_texts, folder)
        while not first.ended:
            time.sleep(0.05)
        texts = first.result()
        assert isinstance(texts, dict), "the tests fail as they are"
        try:
            while chosen or running:
                while chosen and len(running) < asked.j:
                    rule = chosen.pop(0)
                    running[Apart(folder, tried, rule, texts, folder)] = rule
                time.sleep(0.05)
                for one in [one for one in running if one.ended]:
                    rule = running.pop(one)
                    how, what = one.result()
                    counts[how] = counts.get(how, 0) + 1
                    print(f"{how:12} {rule.file}: {rule.says}  [{what}]", flush=True)
        finally:
            for one in running:
                one.stop()
    print(", ".join(f"{n} {how}" for how, n in sorted(counts.items()) if n))
    return 1 if counts.keys() & {"survived", "error"} else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    # What all processes need and no rule is of.
    import numpy as np  # noqa: F401
    import pytest  # noqa: F401

    sys.exit(main(sys.argv[1:]))
