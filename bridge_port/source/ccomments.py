"""Comments of C, which the preprocessor takes out of Fortran: `/* ... */`, over lines as well.

As gfortran's (traditional) preprocessor does it: a quote opens a string up to the next one or to
the end of the line, in a comment of Fortran too, and in a string there is no comment.
"""

from __future__ import annotations


class CComments:
    """State over the lines of one file."""

    def __init__(self) -> None:
        self.inside = False

    def without(self, line: str) -> str:
        if not self.inside and "/*" not in line:
            return line
        pieces: list[str] = []
        at, quote, begin = 0, "", 0
        while at < len(line):
            if self.inside:
                end = line.find("*/", at)
                if end < 0:
                    return "".join(pieces)
                self.inside = False
                at = begin = end + 2
                continue
            char = line[at]
            if char == "\\" and line[at + 1 : at + 2] in ("\\", "'", '"'):
                at += 1  # what follows is no quote
            elif char == quote:
                quote = ""
            elif char in "'\"":
                quote = quote or char
            elif not quote and line.startswith("/*", at):
                pieces.append(line[begin:at])
                self.inside = True
                at += 1
            at += 1
        if not self.inside:
            pieces.append(line[begin:])
        return "".join(pieces)
