"""How a program calls each entry through module `bridge`, from the procedures of bridge.f90.

`docs/generate.py` puts it below the prototypes of entry-points.md. A generic procedure has one
call: the arguments of all its procedures together.
"""

from __future__ import annotations

import re

#: Each composite has the same arguments.
COMPOSITE = re.compile(r"(frame_tvproperties_)\w+")
WIDTH = 99


def calls(source: str) -> dict[str, str]:
    """Entry without its last underscore -> the call; optional arguments in brackets."""
    joined = re.sub(r"&\n\s*", "", re.sub(r" *!.*", "", source))
    procedures = {}
    for kind, name, arguments, body in re.findall(
        r"^  (subroutine|integer function|function) (\w+)\(([^)]*)\)(.*?)^  end",
        joined,
        re.M | re.S,
    ):
        names = [word.strip() for word in arguments.split(",") if word.strip()]
        left_out = " ".join(re.findall(r"optional(?:, \w+)? :: (.*)", body))
        procedures[name] = kind, names, set(re.findall(r"\w+", re.sub(r"\(.*?\)", "", left_out)))
    generic = {
        name: re.findall(r"\w+", listed)
        for name, listed in re.findall(r"interface (\w+)\n\s*module procedure ([^\n]*)", joined)
    }
    public = [name for name in procedures if name.startswith("frame_")] + list(generic)
    return {
        name: call(name, [procedures[p] for p in generic.get(name, [name])]) for name in public
    }


def call(name: str, forms: list[tuple[str, list[str], set[str]]]) -> str:
    order = max((names for _, names, _ in forms), key=len)
    needed = [a for a in order if all(a in names and a not in free for _, names, free in forms)]
    free = [a for a in order if a not in needed]
    words = ", ".join(needed) + (f" [, {', '.join(free)}]" if needed and free else "")
    words = words or (f"[{', '.join(free)}]" if free else "")
    said = f"call {name}({words})" if forms[0][0] == "subroutine" else f"{name}()"
    if len(said) <= WIDTH:
        return said
    cut = said.rindex(" ", 0, WIDTH - 1)
    return f"{said[:cut]} &\n    {said[cut + 1 :]}"


def listing(known: dict[str, str], prototypes: list[str]) -> list[str]:
    """The calls of the entries in a listing of C."""
    entries = [re.search(r"(\w+)_\(", text)[1] for text in prototypes]  # type: ignore[index]
    said = [known[entry] for entry in entries if entry in known]
    if len(said) > 1 and all(COMPOSITE.match(entry) for entry in entries):
        said = [re.sub(COMPOSITE, r"\1...", said[0])]
    return ["", "```fortran", *said, "```"] if said else []
