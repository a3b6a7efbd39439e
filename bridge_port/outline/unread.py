"""Statements that no nest may have, and why."""

from __future__ import annotations

from typing import NoReturn

from bridge_port.refusal import Refused
from bridge_port.syntax.statements import Unread

_MEMORY = "a nest computes points, and gives no array its memory", "leave it outside of the nest"
_STATUS = (
    "it would end the run at one point, and a nest gives its points no status",
    "test before its loops, or port a procedure with --errors status",
)
_FILES = (
    "a nest computes points, and reads and writes no files",
    "leave it outside of the nest, or say --drop-output if it only writes",
)
_TYPE = (
    "which of its blocks is meant depends on the type of an object",
    "port the nest inside of a block, or the procedure with --type",
)
_WHY = {
    **dict.fromkeys(("allocate", "deallocate", "nullify"), _MEMORY),
    **dict.fromkeys(("stop", "error stop", "pause"), _STATUS),
    **dict.fromkeys(("write", "print", "read", "open", "close", "inquire", "rewind"), _FILES),
    "selecttype": _TYPE,
}


def refuse(s: Unread) -> NoReturn:
    why, change = _WHY.get(s.construct, ("", "leave it outside of the nest"))
    raise Refused(s.place, s.construct, s.why or why or "it is not understood", change)
