"""How the figures of pages are written and compared: sections between marks, tables, sentences,
ranges, deviations."""

from __future__ import annotations

import re
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
