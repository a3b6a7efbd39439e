"""Spoil catalogues, species tables, sources of `bridge port` and kept files at random, and read
them. A child of the fuzz tests:

    fuzztexts.py KIND --seed N --cases M

Every text is read or refused by a BridgeError; a source refused names its file and a line. The
same seed makes the same texts; the last one is left as `spoiled...` in the working folder.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shutil
import signal
import traceback
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from types import FrameType

import numpy as np

from bridge import caches, cli
from bridge.errors import BridgeError
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

TESTS = Path(__file__).parents[1]
SECONDS = 20  # of the processor, for one text; the longest of those unspoiled takes two
SOURCES = [
    *sorted((TESTS / "port/constructs").glob("*.f*")),
    *sorted((TESTS / "port/corpus").glob("*.f*")),
    *(TESTS / "port/nests.f90", TESTS / "port/nests.f", TESTS / "port/legacy_points.f90"),
]
PROCEDURE = re.compile(r"^\s*(?:[\w*() ]+\s)?(?:subroutine|function)\s+(\w+)", re.I | re.M)
WORDS = re.compile(r"\w+|[^\w\s]|\s+")
PLACE = re.compile(r"spoiled\.\w+:\d+")
PIECES = [
    *("(", ")", ",", "=", "'", '"', "&", "!", "%", "::", "[", "]", "{", "}", ":", "-", "\n", "\t"),
    *("0", "-1", "1e400", "nan", "99999999999999999999", "1.0d0", "**", "//", "end", "do", "if"),
    *("then", "true", "\u00e9", "\x00", "\ud800"[:0], "a" * 70, "#", ".and.", "*", "~"),
]


class TooLong(BaseException):
    """Not an Exception: nothing on the way up may take it for one of its own."""


def spoil(text: str, random: np.random.Generator) -> str:
    """One to four changes: words deleted, inserted, doubled, exchanged; lines too; an end cut."""
    for _ in range(int(random.integers(1, 5))):
        words = WORDS.findall(text) or [""]
        n = int(random.integers(len(words)))
        lines = text.split("\n")
        m = int(random.integers(len(lines)))
        way = int(random.integers(9))
        if way == 0:
            del words[n : n + int(random.integers(1, 4))]
        elif way == 1:
            words.insert(n, PIECES[int(random.integers(len(PIECES)))])
        elif way == 2:
            words[n] = PIECES[int(random.integers(len(PIECES)))]
        elif way == 3:
            k = int(random.integers(len(words)))
            words[n], words[k] = words[k], words[n]
        elif way == 4:
            words[n] = words[n] * 2
        if way < 5:
            text = "".join(words)
            continue
        if way == 5:
            del lines[m]
        elif way == 6:
            lines.insert(m, lines[int(random.integers(len(lines)))])
        elif way == 7:
            lines[m] = lines[m][: int(random.integers(len(lines[m]) + 1))]
        elif random.random() < 0.2:
            lines = lines[: m + 1]
        text = "\n".join(lines)
    return text


def write(name: str, text: str) -> Path:
    path = Path(name).absolute()
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def catalogue(random: np.random.Generator) -> str:
    """The catalogue of a pack of the examples beside the shipped one."""
    packs = sorted(TESTS.parent.glob("examples/**/catalogue.toml"))
    pack = packs[int(random.integers(len(packs)))]
    folder = Path("pack").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(pack.parent, folder)
    path = folder / "catalogue.toml"
    path.write_text(spoil(pack.read_text(), random), encoding="utf-8")
    Path("spoiled.toml").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    Catalogue.load([str(files("bridge") / "kernels/catalogue.toml"), path])
    return "read"


def species(random: np.random.Generator) -> str:
    """A table of two species of the shipped form, in which some of the lines are spoiled."""
    text = (files("bridge") / "data/species.yaml").read_text()
    parts = re.split(r"(?m)^(?=  - name|- name)", text)
    chosen = [parts[0], *parts[1:3]]
    SpeciesData.resolve(str(write("spoiled.yaml", spoil("".join(chosen), random))))
    return "read"


def source(random: np.random.Generator) -> str:
    """A procedure of a source of tests/port, ported by the command; or the source surveyed."""
    original = SOURCES[int(random.integers(len(SOURCES)))]
    text = original.read_text()
    names = PROCEDURE.findall(text)
    name = names[int(random.integers(len(names)))]
    path = write(f"spoiled{original.suffix}", spoil(text, random))
    shutil.rmtree("ported", ignore_errors=True)
    words = ["port", f"{path}::{name}", "-o", "ported"]
    if random.random() < 0.15:
        words = ["port", "--survey", str(path)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = cli.main(words)
        except SystemExit as end:
            status = end.code
    if status not in (0, 1, 2, None):
        raise AssertionError(f"status {status}: {err.getvalue()}")
    if status == 1 and "--survey" not in words and not PLACE.search(err.getvalue()):
        raise AssertionError(f"refused without file and line: {err.getvalue()}")
    if "fault of bridge port" in err.getvalue():
        raise AssertionError(err.getvalue())
    if "--survey" in words:
        return "surveyed"
    return {0: "ported", 1: "refused"}.get(status if isinstance(status, int) else 0, "usage")


def kept(random: np.random.Generator) -> str:
    """A sealed file of which bits are flipped, bytes cut, added or exchanged."""
    contents = random.bytes(int(random.integers(0, 200)))
    file = bytearray(caches.seal(contents))
    way = int(random.integers(5))
    if way == 0:
        file[int(random.integers(len(file)))] ^= 1 << int(random.integers(8))
    elif way == 1:
        del file[int(random.integers(len(file))) :]
    elif way == 2:
        file += random.bytes(int(random.integers(1, 60)))
    elif way == 3:
        del file[: int(random.integers(1, len(file)))]
    else:
        n, k = (int(i) for i in random.integers(len(file), size=2))
        if file[n] == file[k]:
            return "the same"
        file[n], file[k] = file[k], file[n]
    if caches.unseal(bytes(file)) is not None:
        raise AssertionError(f"a file that was altered (way {way}) is taken")
    return "taken"


KINDS: dict[str, Callable[[np.random.Generator], str]] = {
    "catalogue": catalogue,
    "species": species,
    "source": source,
    "kept": kept,
}


def late(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"longer than {SECONDS} s of the processor")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, required=True)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    findings = []
    signal.signal(signal.SIGPROF, late)
    for case in range(options.cases):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            counts[KINDS[options.kind](np.random.default_rng([options.seed, case]))] += 1
        except (BridgeError, caches.DamagedError):
            counts["refused"] += 1
        except BaseException:
            findings.append(f"seed {options.seed} case {case}\n{traceback.format_exc()[-1800:]}")
            for file in Path().glob("spoiled*"):
                shutil.copy(file, f"case-{options.seed}-{case}{file.suffix}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps({"counts": counts, "findings": findings}))


if __name__ == "__main__":
    main()
