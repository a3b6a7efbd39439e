"""Free form: continuation by an ampersand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge_port.source.joined import Joined, cut
from bridge_port.source.physical import PhysicalLine


def join_free(lines: Iterable[PhysicalLine]) -> Iterator[Joined]:
    comments: list[str] = []
    pending: Joined | None = None
    quote = ""
    for file, number, raw in lines:
        text = raw.strip()
        if not text:
            continue
        if text[0] == "!":  # in the middle of a string as well
            comments.append(raw.rstrip())
            continue
        if text[:1] == "#" and not quote:
            yield Joined(file, number, number, text=text)
            continue
        if pending is None:
            pending = Joined(file, number, 0)
        elif quote:
            # In a string blanks count; without an ampersand the string goes on in column 1.
            text = raw.lstrip()[1:] if text[:1] == "&" else raw
        elif text[0] == "&":
            text = text[1:]
        else:
            pending.text += " "
        pending.comments.extend(comments)
        comments = []
        goes_on = pending.last > 0
        body, comment, quote = cut(text, quote)
        if comment:
            pending.comments.append(comment)
        if file == pending.file:
            pending.last = number
        stripped = body.rstrip()
        if goes_on and not stripped and not quote:
            continue  # An ampersand alone.
        if stripped.endswith("&"):
            pending.text += stripped[:-1]
            continue
        pending.text += body
        quote = ""
        yield pending
        pending = None
    if pending is not None:
        yield pending
    if comments:
        yield Joined(file, number, number, comments=comments)
