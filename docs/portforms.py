"""The generated tables of docs/reference/port.md: options, constructs, intrinsic procedures.

`docs/generate.py` writes them between the marks of the page. The options and the intrinsic
procedures are those of the package, so this needs it installed.
"""

from __future__ import annotations

import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

from bridge_port import options
from bridge_port.semantic.intrinsics import ELEMENTAL, INQUIRY, REDUCTION, SUBROUTINE, TABLE

CONSTRUCTS = Path(__file__).parent / "constructs.toml"
MADE = (options.READ, options.SAID, options.NAMED, options.CHECK, options.SURVEY, options.COMMAND)
#: Of the table of intrinsic procedures, and what the page calls them.
CATEGORIES = {
    ELEMENTAL: "of each element",
    INQUIRY: "of an array or a type",
    REDUCTION: "reductions",
    "transformational": "of whole arrays and texts",
    SUBROUTINE: "subroutines",
}


def page(text: str) -> str:
    """With the tables between its marks."""
    tables = {"options": option_tables, "constructs": construct_tables, "intrinsics": intrinsics}
    for mark, made in tables.items():
        begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
        before, _, tail = text.partition(begin)
        text = f"{before}{begin}\n{made()}\n{end}{tail.partition(end)[2]}"
    return text


def option_tables() -> str:
    """One for each group of the help."""
    parts = []
    for group in MADE:
        rows = ["| option | meaning |", "| --- | --- |"]
        for one in options.OPTIONS:
            if one.group == group:
                words = [one.short, one.word] if one.short else [one.word]
                metavar = "|".join(one.choices) or one.metavar
                said = f"{', '.join(words)} {metavar}".strip()
                rows.append(row(code(said), one.help.replace("%%", "%")))
        parts.append(f"### Options: {group}\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def construct_tables() -> str:
    """One for each group of docs/constructs.toml."""
    rows = tomllib.loads(CONSTRUCTS.read_text(encoding="utf-8"))["construct"]
    parts = []
    for group, some in groupby(rows, lambda one: one["group"]):
        lines = ["| construct | a point | a nest | |", "| --- | --- | --- | --- |"]
        answers = ("", "")
        for one in some:
            before, answers = answers, (answer(one, "point"), answer(one, "nest"))
            if not one.get("more"):
                lines.append(row(one["what"], *answers, one.get("remark", "")))
            elif answers != before:
                raise ValueError(f"{one['what']}: the row before it has other answers")
        parts.append(f"### {group}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def answer(one: dict[str, Any], kind: str) -> str:
    if kind not in one:
        return ""
    if f"no_{kind}" in one:
        return "no"
    said = one.get("say_nest", one.get("say", ())) if kind == "nest" else one.get("say", ())
    return code(said[0]) if said else "yes"


def intrinsics() -> str:
    """Those that kernels have, by category, and those that they have not."""
    lines = ["| | names |", "| --- | --- |"]
    for category, told in CATEGORIES.items():
        own = [one for one in TABLE.values() if one.category == category and one.form]
        if names := [one.name for one in own if one.name == one.generic]:
            lines.append(row(told, " ".join(map(code, names))))
    typed = [one for one in TABLE.values() if one.form and one.name != one.generic]
    names = [one.name for one in typed if one.generic not in one.name]
    told = (
        f"{len(typed)} names for one type: those above with a letter (`dabs` `amax1` `cdexp`), and"
    )
    lines.append(row(told, " ".join(map(code, names))))
    for kind in sorted(frozenset().union(*(one.refused for one in TABLE.values()))):
        some = [one for one in TABLE.values() if one.form and kind in one.refused]
        if names := [one.name for one in some if one.name == one.generic]:
            lines.append(row(f"not with {kind} arguments", " ".join(map(code, names))))
    lacking = [one.name for one in TABLE.values() if not one.form]
    lines.append(row("**not in kernels**", " ".join(map(code, lacking))))
    return "\n".join(lines)


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def code(text: str) -> str:
    text = text.replace("|", r"\|")
    return f"`{text}`" if text else ""
