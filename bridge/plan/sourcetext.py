"""Source text of Fortran, of which only what decides counts: no comments, no blank lines, wherever
its lines stand in their file."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from bridge.caches import sha256

_FIXED_COMMENTS = "cC*dD!"
_USE = re.compile(r"\s*use\s*(?:,\s*\w+\s*)?(?:::)?\s*(\w+)\s*(?:[,&]|$)", re.I)
_HASH_LINE = re.compile(r"^[ \t]*#", re.M)
_DIRECTIVE = re.compile(r"#\s*(\w*)")


class Text:
    """Of one file; fixed: whether its lines are of fixed form; own: modules whose use statements
    do not count."""

    def __init__(self, data: bytes, fixed: bool = False, own: Container[str] = ()) -> None:
        text = data.decode("latin-1").removeprefix("\xef\xbb\xbf")
        lines = _bare(text.replace("\r\n", "\n").replace("\r", "\n"), fixed)
        kept = _without_uses(lines, fixed, own)
        self._numbers, self._lines = [n for n, _ in kept], [line for _, line in kept]

    def piece(self, first: int, last: int) -> tuple[int, str]:
        """How many of these lines count, first to last from 1, and their digest."""
        kept = [line for number, line in zip(self._numbers, self._lines, strict=True)
                if first <= number <= last]  # fmt: skip
        return len(kept), _digest(kept)

    def holds(self, first: int, count: int, digest: str) -> bool:
        """Whether lines with this digest stand together, from a line on or anywhere else."""
        begin = sum(number < first for number in self._numbers)
        starts = (begin, *range(len(self._lines) - count + 1))
        return any(_digest(self._lines[at : at + count]) == digest for at in starts)

    def whole(self) -> str:
        """The digest of all that counts."""
        return _digest(self._lines)

    def definitions(self) -> list[str]:
        """What the file says to the preprocessor of names: definitions, includes, and conditions
        around these. A condition around statements alone is not among them."""
        open_: list[list[str]] = [[]]  # of each condition around, with its arms
        defines = [True]
        lines = iter(self._lines)
        for line in lines:
            found = _DIRECTIVE.match(line.strip())
            if found is None:
                continue
            parts = [line.strip()]
            while parts[-1].endswith("\\"):
                parts.append(next(lines, "").strip())
            text = "\n".join(parts)
            if found[1] in ("if", "ifdef", "ifndef"):
                open_.append([text])
                defines.append(False)
            elif found[1] in ("elif", "else", "endif") and len(open_) > 1:
                open_[-1].append(text)
                if found[1] == "endif":
                    inner, counts = open_.pop(), defines.pop()
                    open_[-1] += inner if counts else []
                    defines[-1] |= counts
            elif found[1] in ("define", "undef", "include"):
                open_[-1].append(text)
                defines[-1] = True
        return [line for arms, one in zip(open_, defines, strict=True) if one for line in arms]

    def defined(self) -> str:
        """The digest of its definitions, "" where there are none."""
        found = self.definitions()
        return _digest(found) if found else ""


def _digest(lines: Sequence[str]) -> str:
    return sha256("".join(f"{line}\n" for line in lines).encode("latin-1")).hex()


def _bare(text: str, fixed: bool) -> list[tuple[int, str]]:
    """Lines that count, with their numbers. Where it is not sure what is a comment it counts."""
    kept: list[tuple[int, str]] = []
    preprocessed = _HASH_LINE.search(text) is not None
    within = False  # a comment of C
    quote = ""  # of a text that goes on in the next line
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw
        if within:
            _, mark, line = line.partition("*/")
            within = not mark
        if preprocessed and not within:
            line, within = _without_c(line)
        bare = line.strip()
        if not bare or _is_comment(line, bare, fixed):
            continue
        if bare[0] != "#":
            if quote and fixed and not _goes_on(line):
                quote = ""  # it is no continuation
            line, quote = _without_comment(line, quote, fixed)
            if not fixed and not line.rstrip().endswith("&"):
                quote = ""
        line = line.rstrip()
        if not fixed and not quote:
            line = line.lstrip()
        if line:
            kept.append((number, line))
    return kept


def _goes_on(line: str) -> bool:
    """Whether a line of fixed form continues the one before."""
    return not line[:5].strip() and line[5:6] not in ("", " ", "0")


def _without_uses(
    lines: Sequence[tuple[int, str]], fixed: bool, own: Container[str]
) -> list[tuple[int, str]]:  # fmt: skip
    kept: list[tuple[int, str]] = []
    within = False
    for number, line in lines:
        if within and fixed:
            within = _goes_on(line)
        if not within:
            found = _USE.match(line)
            within = found is not None and found[1].lower() in own
            if not within:
                kept.append((number, line))
        if within and not fixed:
            within = line.endswith("&")
    return kept


def _is_comment(line: str, bare: str, fixed: bool) -> bool:
    if not fixed:
        return bare[0] == "!"
    return line[0] in _FIXED_COMMENTS or (bare[0] == "!" and line.index("!") != 5)


def _without_comment(line: str, quote: str, fixed: bool) -> tuple[str, str]:
    """And the quote that is open at its end."""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "!" and not (fixed and at == 5):
            return line[:at], ""
    return line, quote


def _without_c(line: str) -> tuple[str, bool]:
    """Without comments of C that begin the line or stand in one of the preprocessor; whether one
    goes on in the next line."""
    while (begin := line.find("/*")) >= 0:
        if line[:begin].strip()[:1] not in ("", "#"):
            return line, False
        end = line.find("*/", begin + 2)
        if end < 0:
            return line[:begin], True
        line = f"{line[:begin]} {line[end + 2 :]}"
    return line, False
