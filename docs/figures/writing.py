"""How the figures of pages are written and compared: sections between marks, tables, sentences,
ranges, deviations."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np


def filled(page: str, parts: dict[str, str]) -> str:
    """The page with each section between its two marks."""
    for name, text in parts.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"the page needs one {begin} and one {end}")
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def asked(
    program: str, about: str, sections: Collection[str], arguments: list[str]
) -> argparse.Namespace:
    """What a command line wants of the program of a page: section, write, check."""
    parser = argparse.ArgumentParser(prog=f"python {program}", description=about)
    parser.add_argument("section", nargs="*", help=f"of {', '.join(sections)}; all by default")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="put the sections into the page")
    mode.add_argument("--check", action="store_true", help="compare them with the page")
    found = parser.parse_args(arguments)
    if unknown := sorted(set(found.section) - set(sections)):
        parser.error(f"argument section: got {unknown[0]!r}, wanted one of {', '.join(sections)}")
    return found


def checked(program: str, page: Path, parts: dict[str, str]) -> int:
    """Exit status: 1, with words, where a section of the page is another one."""
    held = page.read_text(encoding="utf-8")
    old = [name for name, text in parts.items() if not same(held, filled(held, {name: text}))]
    for name in old:
        print(f"docs/{page.name} is out of date: run python {program} --write {name}")
    return int(bool(old))


_NUMBER = re.compile(r"(?:(?<=\s)[+-])?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def same(one: str, other: str) -> bool:
    """Whether two texts differ in the last digits of numbers at most: another processor rounds
    otherwise. Where lines break does not count."""
    one, other = " ".join(one.split()), " ".join(other.split())
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    for pair in zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True):
        a, b = (float(number) for number in pair)
        if abs(a - b) > 1.001 * max(_last_digit(number) for number in pair):
            return False
    return True


def _last_digit(number: str) -> float:
    """What one more in the last digit of a number is worth."""
    digits, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def prose(*paragraphs: str) -> str:
    """Paragraphs as the page breaks lines; one that starts with "- " is an item of a list."""
    lines, before = "", ""
    for text in paragraphs:
        item = text.startswith("- ")
        if before:
            lines += "\n" if item and before.startswith("- ") else "\n\n"
        lines += fill(
            " ".join(text.split()),
            106,
            subsequent_indent="  " if item else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        before = text
    return lines


def span(values: Any, digits: int = 1) -> str:
    """The smallest to the largest, "1.8 to 3.7"."""
    low, high = (f"{value:.{digits}f}" for value in (np.min(values), np.max(values)))
    return low if low == high else f"{low} to {high}"


def signed(ratio: float) -> str:
    """A deviation in per cent with its sign."""
    number = round(100.0 * (ratio - 1.0))
    return f"{number:+d}" if number else "0"


def between(ratios: Any) -> str:
    """The lowest and the highest deviation, "-31 to -30 %"."""
    low, high = signed(np.min(ratios)), signed(np.max(ratios))
    return f"{low} %" if low == high else f"{low} to {high} %"
