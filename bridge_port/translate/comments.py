"""Comments of the original beside the translated lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def translated(comments: Iterable[str]) -> Iterator[str]:
    """Without the marks of Fortran; directives of OpenMP and OpenACC stay as they are."""
    for comment in comments:
        text = comment.strip()
        if text[:1] in "!cC*" and text:
            text = text[1:] if not text[1:2] == "$" else text
        text = text.strip("\t ").rstrip("\\")
        if text.startswith("!") and not text.startswith("!$"):
            text = text.lstrip("! ")
        if text:
            yield text
