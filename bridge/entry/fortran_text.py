"""Words and lines of the Fortran texts that fortran_forms.py writes.

Below module_forms.py and fortran_forms.py.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from build_entry import Prototype  # type: ignore[import-not-found]  # noqa: E402


def c_name(prototype: Prototype) -> str:
    """Name of an entry within the module: frame_run_ is c_run."""
    return "c_" + re.sub("^(frame|bridge)_(castles_|tvproperties_)?|_$", "", prototype.name)


def wrapped(statement: str, indent: int) -> str:
    """A statement in free form, in lines of at most 99 columns."""
    for unbroken in ("bind(c, name", " => ", " ::"):  # kept on one line
        statement = statement.replace(unbroken, unbroken.replace(" ", "\0"))
    lines, rest = [], " " * indent + statement
    while len(rest) > 99:
        cut = rest.rindex(" ", indent + 4, 98)
        lines.append(rest[:cut] + " &")
        rest = " " * (indent + 4) + rest[cut + 1 :]
    return "\n".join([*lines, rest]).replace("\0", " ")


def code_names(header: str) -> list[str]:
    return [code.lower() for code in re.findall(r"#define (BRIDGE_\w+) -?\d", header)]
