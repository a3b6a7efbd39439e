"""Ranks of one communicator that would not compute alike: told apart, and refused unless allowed.

Between Frame, which has gathered what each rank has, and `parts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge.errors import BridgeError
from bridge.fingerprint.lines import differences, meaning

#: Ranks that a message lists.
MOST_LISTED = 8
ALLOW = "frame_set('mixed_ranks', 'allow') (BRIDGE_MIXED_RANKS=allow) lets them run so"


def mixture(ranks: Sequence[Mapping[str, str]]) -> str:
    """In which parts ranks differ, "" where they do not: each part once, with who has what."""
    names = dict.fromkeys(name for mine in ranks for name, *_ in differences(ranks[0], mine))
    told = []
    for name in names:
        having: dict[str, list[int]] = {}
        for rank, mine in enumerate(ranks):
            having.setdefault(mine.get(name, "none"), []).append(rank)
        who = "; ".join(f"{value} on {_listed(those)}" for value, those in having.items())
        told.append(f"{name}: {who} ({meaning(name)})")
    return "\n".join(told)


def refuse(mixed: str) -> None:
    """BridgeError, the same on all ranks, for what `mixture` found."""
    if mixed:
        raise BridgeError(f"the ranks would not compute alike: {mixed}\n{_remedy(mixed)}{ALLOW}")


def _remedy(mixed: str) -> str:
    """What makes them alike."""
    lines = []
    if "target: x86-64" in mixed:
        lines.append("BRIDGE_CPU_ISA of the least one, on all ranks, makes them alike; ")
    if "pack " in mixed:
        lines.append("the same BRIDGE_PACKS, of the same files, on all ranks makes them alike; ")
    if "version:" in mixed:
        lines.append("the same package on all nodes makes them alike; ")
    return "".join(lines)


def _listed(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:MOST_LISTED]))
    more = len(ranks) - MOST_LISTED
    return f"rank{'s' if len(ranks) > 1 else ''} {shown}{f' and {more} more' if more > 0 else ''}"
