"""Fixed form: labels in columns 1 to 5, continuation by column 6, text to column 72."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge_port.source.joined import Joined, cut
from bridge_port.source.physical import PhysicalLine


def join_fixed(lines: Iterable[PhysicalLine], width: int) -> Iterator[Joined]:
    """width: the last column that counts, 0 for all."""
    comments: list[str] = []
    pending: Joined | None = None
    quote = ""
    end = width or None
    for file, number, raw in lines:
        if not raw or raw.isspace():
            continue
        mark = raw[0]
        stripped = raw.lstrip()
        if mark in "cC*dD!" or (stripped[0] == "!" and raw.index("!") != 5):
            comments.append(raw.rstrip())
            continue
        if mark == "#":
            if pending is not None:
                yield pending
                pending, quote = None, ""
            yield Joined(file, number, number, text=raw.strip(), comments=comments)
            comments = []
            continue
        if "\t" in raw[:6]:
            raw = _without_tab(raw)
        label, body = raw[:5].strip(), raw[6:end]
        if not label and raw[5:6] not in ("", " ", "0"):
            if pending is None:
                pending = Joined(file, number, number, text="&", comments=comments)
                comments = []
        else:
            if pending is not None:
                yield pending
            if label and not label.isdigit():
                label, body = "", raw[:end]
            pending = Joined(file, number, number, label.lstrip("0"), comments=comments)
            comments, quote = [], ""
        pending.comments.extend(comments)
        comments = []
        body, comment, quote = cut(body, quote, hollerith=True)
        if quote:
            body = body.ljust((width or 72) - 6)
        if comment:
            pending.comments.append(comment)
        pending.text += body
        if has_text_behind(raw, width):
            pending.behind = max(pending.behind, len(raw.rstrip()))
        if file == pending.file:
            pending.last = number
    if pending is not None:
        yield pending
    if comments:
        yield Joined(file, number, number, comments=comments)


def has_text_behind(raw: str, width: int) -> bool:
    """Whether a line goes on behind the last column that counts, and is no comment there."""
    rest = raw[width:].strip() if width else ""
    return bool(rest) and "!" not in raw[:width] + rest[0] and raw[0] not in "cC*dD#"


def _without_tab(raw: str) -> str:
    """A tab in the first columns leads to column 7, or with a digit behind it to column 6."""
    head, _, tail = raw.partition("\t")
    if tail[:1].isdigit() and tail[0] != "0":
        return head.ljust(5)[:5] + tail
    return head.ljust(6)[:6] + tail
