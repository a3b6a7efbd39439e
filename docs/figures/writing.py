"""How the figures of accuracy.md are written: tables, sentences, ranges, deviations."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np


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
