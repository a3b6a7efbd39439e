"""Two folders of records, text by text."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from port.recorded.recorder import PART

#: By request: every result of it, each by the names of its parts.
Records = dict[str, list[dict[str, str]]]


@dataclass(frozen=True)
class Difference:
    """part: what differs ("header k.h"); texts: of both sides, "" where one does not have it;
    arguments: of a header, on both sides, as the recorder writes them."""

    request: str
    part: str
    texts: tuple[str, str]
    arguments: tuple[str, str] = ("", "")

    @property
    def kind(self) -> str:
        return self.part.split()[0]

    @property
    def name(self) -> str:
        return self.part.partition(" ")[2].removesuffix(".h")

    def told(self, most: int) -> str:
        """With `most` lines of what differs."""
        asked: dict[str, Any] = json.loads(self.request)
        lines = [f"{self.part}: {asked['what']} of {', '.join(asked['sources']) or 'no source'}"]
        lines.append(f"  asked: {json.dumps(asked['asked'])}")
        one, other = (text.splitlines() for text in self.texts)
        changed = list(difflib.unified_diff(one, other, lineterm="", n=1))[2:]
        lines += [f"  {line}" for line in changed[:most]]
        if len(changed) > most:
            lines.append(f"  and {len(changed) - most} lines more")
        return "\n".join(lines)


def records(folder: Path) -> Records:
    found: Records = {}
    for file in sorted((folder / "texts").glob("*.txt")):
        request, *parts = file.read_text().split(f"\n{PART}")
        named = (part.partition("\n") for part in parts)
        found.setdefault(request, []).append({name: text.rstrip() for name, _, text in named})
    return found


def differences(one: Records, other: Records) -> Iterator[Difference]:
    """Of requests that both sides have."""
    for request in one.keys() & other.keys():
        ours = [found for found in one[request] if found not in other[request]]
        theirs = [found for found in other[request] if found not in one[request]]
        for a, b in zip_longest(ours, theirs, fillvalue=dict[str, str]()):
            for part in dict.fromkeys([*a, *b]):
                texts = a.get(part, ""), b.get(part, "")
                if texts[0] != texts[1]:
                    named = f"arguments {part.partition(' ')[2].removesuffix('.h')}"
                    yield Difference(request, part, texts, (a.get(named, ""), b.get(named, "")))


def ordered(found: Iterable[Difference]) -> list[Difference]:
    """Each difference once, the shortest first: it shows best what has changed."""
    once = {(one.part, one.texts): one for one in sorted(found, key=lambda one: one.request)}
    return sorted(once.values(), key=lambda d: (sum(map(len, d.texts)), d.part, d.texts))


def count(found: Records) -> str:
    """How much a folder has."""
    parts = Counter(
        part.split()[0] for results in found.values() for one in results for part in one
    )
    sources = {source for request in found for source in json.loads(request)["sources"]}
    kept = ", ".join(f"{n} {kind}" for kind, n in sorted(parts.items()))
    return f"{len(sources)} sources, {len(found)} requests: {kept}"
