"""What a survey found, for a terminal (a summary and tables, with the command of each nest that
translates) and for --json."""

from __future__ import annotations

import os
import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from bridge_port import options
from bridge_port.refusal import Refusal
from bridge_port.survey.found import (
    COLUMN,
    LOOPS,
    NESTS,
    NONE,
    NOTHING,
    PART,
    POINT,
    Found,
    Nest,
    Work,
)
from bridge_port.survey.gains import Range
from bridge_port.survey.survey import Options, Row, Survey

#: Rows of a table where not all are asked for, and reasons.
ROWS, REASONS = 30, 15
#: Columns that begin at the left.
LEFT = ("procedure", "as", "where", "first reason")
HOW = {
    POINT: "point", COLUMN: "column", LOOPS: "loops", NESTS: "nests", PART: "part", NONE: ""
}  # fmt: skip
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"\b\d+\b")
#: Words of a construct that name what is refused; a name of the code follows them.
_KINDS = re.compile(
    r"\b(call of|call|argument|array|scalar|table|constant|function|assignment to|loop variable|"
    r"loop over|equivalence of|exit|cycle|entry|type|module|common|complex|character|logical|"
    r"integer|real|parameter|read of|reference to|procedure|subroutine|variable|of|to|over|say "
    r"private:|say its shape: shape|it is|in|by)\s+(\w+(?:%\w+)*(?:\([^)]*\))?)"
)
_COMMON = frozenset(
    "of to over in by a an the another its array arrays scalar table constant function loop "
    "loops variable argument arguments call calls type module common dummy local result saved "
    "points point value values rank shape whole known given written read private backwards "
    "numbers number it that this which what one none two all no not real integer logical "
    "character complex statement statements procedure procedures nest nests expression "
    "expressions components source memory kernels kernel derived reductions section sections "
    "dimension dimensions other others bounds constants subscript subscripts place line lines "
    "them extent size neighbour neighbours time bridge assumed pointer allocatable kind and or "
    "for along is are whose neither nor translate under after before with as have has".split()
)


def text(survey: Survey, width: int = 100, every: bool = False) -> str:
    """width: of the terminal; every: all rows."""
    parts = [
        "\n".join(
            fill(line, width, subsequent_indent="  ") for line in summary(survey).split("\n")
        )
    ]
    rows = [row for row in survey.rows if row.found.how != NOTHING]
    good = ranked([row for row in rows if row.found.how != NONE])
    bad = ranked([row for row in rows if not row.found.translates])
    if good:
        parts.append(_translatable(survey, good if every else good[:ROWS], len(good), width))
        parts.append(_commands(survey, good, every))
    if bad:
        parts.append(_refused(survey, bad if every else bad[:ROWS], len(bad), width))
    reasons = frequent(refusals(survey))
    if reasons:
        lines = [f"first reasons against the others, {len(reasons)} kinds, how often:"]
        lines += [
            _cut(f"{count:6d}  {kind}", width)
            for kind, count, _ in (reasons if every else reasons[:REASONS])
        ]
        parts.append("\n".join(lines))
    parts.append(_files(survey, width))
    return "\n\n".join(part for part in parts if part)


def ranked(rows: Sequence[Row]) -> list[Row]:
    """By share of the run time, then by what a point may gain, then in the order of the tree."""

    def key(row: Row) -> tuple[float, float, float]:
        flops = 0.0 if row.found.work is None else row.found.work.flops
        gain = 0.0 if row.gains is None else row.gains.best
        return -(row.share or 0.0), -gain, -flops

    return sorted(rows, key=key)


def refusals(survey: Survey) -> list[Refusal]:
    return [
        row.found.refusal
        for row in survey.rows
        if not row.found.translates and row.found.refusal is not None
    ]


def summary(survey: Survey) -> str:
    rows = [row for row in survey.rows if row.found.how != NOTHING]
    nothing = len(survey.rows) - len(rows)
    quiet = [row for row in rows if not row.found.io]
    how = Counter(row.found.how for row in rows)
    nests = [nest for row in rows for nest in row.found.nests if not nest.call]
    good = sum(row.found.translates for row in rows)
    of_quiet = sum(row.found.translates for row in quiet)
    lines = [
        f"{survey.files} files, {len(rows)} procedures, {len(quiet)} of them without I/O"
        + (f"; {nothing} more do nothing (stubs), and are not counted" if nothing else ""),
        f"translatable: {good} procedures, {of_quiet} of those without I/O"
        f"{_percent(of_quiet, len(quiet))}: {how[POINT]} as a procedure of one point, "
        f"{how[COLUMN]} of one column whose size is said, {how[LOOPS]} as one nest of loops, "
        f"{how[NESTS]} nest by nest; {how[PART]} more in part",
        f"loop nests of the other procedures: {len(nests)}, "
        f"{sum(nest.work is not None for nest in nests)} translatable",
    ]
    said = [row.found.outside for row in rows if row.found.translates and row.found.outside]
    if said:
        options = sorted({option for one in said for option in one.values()})
        lines.append(
            f"of these {len(said)} change data of modules, and take {', '.join(options)}, as "
            "--json says (outside)"
        )
    lines += _words([row.found for row in rows if row.found.translates])
    needed = sum(row.found.stand_in and not row.found.translates for row in rows)
    if needed:
        lines.append(
            f"not among them: {needed} would translate with --procedure, of which the sources "
            "pass none that does (needs_procedure)"
        )
    if survey.profile is not None:
        covered = _covered(rows)
        lines.append(
            f"run time: {100 * covered:.0f} % of {survey.profile.total:.4g} s is in procedures "
            "that translate"
        )
        if (faster := _of_run(rows)) is not None:
            lines.append(f"run time with all of these ported on the CPU: {faster.text()} faster")
    if faults := survey.faults:
        lines.append(
            f"!: {len(faults)} procedures or files met a fault of the survey itself (exit status "
            f"1); the first: {faults[0]}"
        )
    machine = survey.machine or "no estimate of gains: no machine was named"
    lines.append(f"gains on {machine}" if survey.machine else machine)
    if survey.machine:
        lines.append(
            "against the original, a procedure on single numbers, a nest as its compiler "
            "vectorises it: on the CPU what eight of ten ports of its kind reach, on a GPU at "
            "most; operations are counted on the syntax tree"
        )
        warned = [row.gains.slower for row in rows if row.gains is not None and row.gains.slower]
        if warned:
            reasons = Counter(word for words in warned for word in words)
            lines.append(
                f"!: {len(warned)} that may be slower on the CPU than the original: "
                + "; ".join(f"{word} ({count})" for word, count in reasons.most_common())
            )
        if not survey.gpu:
            lines.append("no GPU in these figures: --machine FILE of a node that has one")
    return "\n".join(lines)


def _words(good: Sequence[Found]) -> list[str]:
    """What a user has to say of types and texts, and what comes back as a number."""
    kinds = (
        (sum(bool(one.types) for one in good), "take --type, the first of the types (types)"),
        (sum(bool(one.texts) for one in good),
         "take --value NAME='text', a kernel for each text (texts)"),
        (sum(bool(one.procedures) for one in good),
         "take --procedure, the first of the sources that does (procedures)"),
        (sum(bool(one.numbers) for one in good), "give texts back as numbers (numbers)"),
        *((sum(option in one.said for one in good), f"take {option} (said)")
          for option in ("--drop-output", "--errors status")),
        (sum(bool(one.calls) for one in good),
         "by calls of procedures whose loops are the nests (calls)"),
        (sum(bool(one.optional) for one in good),
         "take --present or --absent, looked at with all and with none of them (optional)"),
    )  # fmt: skip
    told = [f"{count} {what}" for count, what in kinds if count]
    return [f"of these {', '.join(told)}, as --json says"] if told else []


def _percent(part: int, whole: int) -> str:
    return f" ({100 * part / whole:.0f} %)" if whole else ""


def _covered(rows: Sequence[Row]) -> float:
    """Each name once: a profile does not say which of two procedures of a name it is of."""
    shares = {row.found.name: row.share or 0.0 for row in rows if row.found.translates}
    return sum(shares.values())


def _of_run(rows: Sequence[Row]) -> Range | None:
    """Of the whole run on the CPU, the rest as it is, and what is slower ported too."""
    ported = {
        row.found.name: (row.share, row.gains.cpu)
        for row in rows
        if row.found.translates and row.share and row.gains is not None
    }
    if not ported:
        return None
    left = 1.0 - sum(share for share, _ in ported.values())
    low = left + sum(share / gain.low for share, gain in ported.values())
    high = left + sum(share / gain.high for share, gain in ported.values())
    return Range(1.0 / max(low, 1e-9), 1.0 / max(high, 1e-9))


# ---- tables ------------------------------------------------------------------------------------


def _translatable(survey: Survey, rows: Sequence[Row], count: int, width: int) -> str:
    head = ["procedure", "as", "flop", "bytes"]
    gpu = any(row.gains is not None and row.gains.gpu is not None for row in rows)
    kept = any(row.gains is not None and row.gains.resident is not None for row in rows)
    if survey.profile is not None:
        head.insert(0, "%")
    if survey.machine:
        head += ["CPU", *["GPU"] * gpu, *["kept"] * kept]
    head.append("where")
    table = []
    for row in rows:
        work = row.found.work or Work()
        line: list[str] = []
        if survey.profile is not None:
            line.append("" if row.share is None else f"{100 * row.share:.1f}")
        line += [
            row.found.name, HOW[row.found.how], _count(work.flops),
            f"{work.read + work.written}",
        ]  # fmt: skip
        if survey.machine:
            g = row.gains
            line.append("" if g is None else g.cpu.text() + (" !" if g.slower else ""))
            line += ["" if g is None or g.gpu is None else _times(g.gpu)] * gpu
            line += ["" if g is None or g.resident is None else _times(g.resident)] * kept
        line.append(_where(survey, row))
        table.append(line)
    kept_there = "; kept: with the arrays kept on the GPU" if kept else ""
    title = f"translatable{_some(len(rows), count)}, of one point{kept_there}"
    return f"{title}\n{_fitted(table, head, width)}"


def _commands(survey: Survey, rows: Sequence[Row], every: bool) -> str:
    """For each nest its lines and the command, which is never cut: it is for the shell."""
    found = [
        (row.found.name, lines, text)
        for row in rows for lines, text in nest_commands(survey, row.found) if text
    ]  # fmt: skip
    if not found:
        return ""
    shown = found if every else found[:ROWS]
    title = f"loop nests{_some(len(shown), len(found))}, each with its command"
    if any(" --value " in text for _, _, text in shown):
        title += "; numbers of --value are those that the survey took: give your own"
    lines = [title]
    for name, (first, last), text in shown:
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        lines += [f"{name}, {where}", f"  {text}"]
    return "\n".join(lines)


def _refused(survey: Survey, rows: Sequence[Row], count: int, width: int) -> str:
    table = []
    for row in rows:
        refusal = row.found.refusal
        line = [] if survey.profile is None else [
            "" if row.share is None else f"{100 * row.share:.1f}"
        ]  # fmt: skip
        line += [row.found.name, "" if refusal is None else short(survey, refusal)]
        table.append(line)
    head = ["procedure", "first reason"]
    if survey.profile is not None:
        head.insert(0, "%")
    return f"not translatable as a whole{_some(len(rows), count)}\n{_fitted(table, head, width)}"


def short(survey: Survey, refusal: Refusal) -> str:
    place = f"{_file(survey, refusal.place.file)}:{refusal.place.line}"
    why = f": {refusal.why}" if refusal.why else ""
    return f"{place}: {refusal.construct}{why}"


def _files(survey: Survey, width: int) -> str:
    lines = []
    if survey.unreadable:
        lines.append(f"files that cannot be read: {len(survey.unreadable)}")
        lines += [
            _cut(f"  {_file(survey, file)}: {why}", width)
            for file, why in sorted(survey.unreadable.items())
        ]
    for columns, files in survey.widths.items():
        names = ", ".join(_file(survey, file) for file in files)
        lines.append(f"text behind the last column of fixed form, which --width {columns} reads "
                     f"({len(files)}):")  # fmt: skip
        lines.append(_cut(f"  {names}", width))
    if survey.twice:
        lines.append("modules in several files; the nearest is taken:")
        for name, files in sorted(survey.twice.items()):
            names = ", ".join(_file(survey, file) for file in files)
            lines.append(_cut(f"  {name}: {names}", width))
    if survey.profile is not None:
        left = survey.profile.unmatched(row.found.name for row in survey.rows)
        if left:
            words = ", ".join(f"{one.written} {one.seconds:.3g} s" for one in left[:8])
            lines.append(_cut(f"routines of the profile that are not in the tree: {words}", width))
    return "\n".join(lines)


def _some(shown: int, count: int) -> str:
    return f" ({count})" if shown == count else f" (the first {shown} of {count}; --all for all)"


def _count(flops: float) -> str:
    return f"{flops:.0f}" if flops >= 100 else f"{flops:.3g}"


def _times(gain: float) -> str:
    return f"{gain:.0f}x" if gain >= 9.5 else f"{gain:.2g}x"


def _where(survey: Survey, row: Row) -> str:
    return f"{_file(survey, row.found.file)}:{row.found.line}"


def _file(survey: Survey, file: str) -> str:
    """As seen from the folder that is surveyed."""
    if len(survey.paths) == 1 and os.path.isdir(survey.paths[0]):
        relative = os.path.relpath(file, survey.paths[0])
        return file if relative.startswith("..") else relative
    return file


def _fitted(table: list[list[str]], head: list[str], width: int) -> str:
    """The last column is cut to what is left of the width, a place at its beginning."""
    name = head.index("procedure")
    most = 32 if width >= 110 else 24 if width >= 95 else 16
    for line in table:
        line[name] = _cut(line[name], most)
    widths = [max(len(line[n]) for line in [head, *table]) for n in range(len(head) - 1)]
    left = max(width - sum(widths) - 2 * len(widths), 12)
    for line in table:
        line[-1] = _cut(line[-1], left, begin=head[-1] == "where")
    widths.append(max(len(line[-1]) for line in [head, *table]))
    rows = [head, ["-" * one for one in widths], *table]
    return "\n".join(
        "  ".join(
            cell.ljust(wide) if title in LEFT else cell.rjust(wide)
            for cell, wide, title in zip(row, widths, head, strict=True)
        ).rstrip()
        for row in rows
    )


def _cut(text: str, width: int, begin: bool = False) -> str:
    if len(text) <= width:
        return text
    return f"...{text[3 - width :]}" if begin else f"{text[: width - 3]}..."


def general(refusal: Refusal) -> str:
    """The kind of a refusal: names and numbers left out."""
    construct, why = (_plain(text) for text in (refusal.construct, refusal.why))
    return f"{construct}: {why}" if why else construct


def _plain(text: str) -> str:
    text = _NUMBER.sub("N", _QUOTED.sub("...", text))
    previous = ""
    while previous != text:
        previous = text
        text = _KINDS.sub(lambda m: m[0] if m[2] in _COMMON else f"{m[1]} ...", text)
    return re.sub(r"\s+", " ", text).strip()


def frequent(refusals: Iterable[Refusal]) -> list[tuple[str, int, Refusal]]:
    """(kind, how often, the first one), the most frequent first."""
    counts: Counter[str] = Counter()
    first: dict[str, Refusal] = {}
    for one in refusals:
        kind = general(one)
        counts[kind] += 1
        first.setdefault(kind, one)
    return [(kind, count, first[kind]) for kind, count in counts.most_common()]


def reading(paths: Sequence[str], given: Options) -> list[str]:
    """How the files of a survey are read, as options of the command: its folders are searched
    for modules, procedures and included files."""
    folders = dict.fromkeys([*given.folders, *(p for p in paths if Path(p).is_dir())])
    own = Namespace(
        folders=[*folders], more=given.more, defines=given.defines, fixed=given.fixed_form,
        width=given.width, private=sorted(given.private),
    )  # fmt: skip
    return options.words(own, options.OPTIONS)


def nest_commands(survey: Survey, found: Found) -> Iterator[tuple[tuple[int, int], str]]:
    """Lines and command of each nest of a procedure: its whole body, or those in it."""
    if found.body != (0, 0):
        yield found.body, of_lines(survey, found, found.body, found.fixed, found.optional)
    for nest in found.nests:
        if text := of_nest(survey, found, nest):
            yield nest.lines, text


def of_nest(survey: Survey, found: Found, nest: Nest) -> str:
    """ "" of one that does not translate, or whose nests stand in what it calls."""
    if nest.work is None or nest.inside or nest.file != found.file:
        return ""
    return of_lines(survey, found, nest.lines, nest.fixed, nest.optional)


def of_lines(
    survey: Survey, found: Found, lines: tuple[int, int], fixed: Mapping[str, int],
    optional: Sequence[str],
) -> str:  # fmt: skip
    """ "" where they stand in a file that another one includes."""
    if found.file != found.source:
        return ""
    first, last = lines
    source = f"{found.file}:{first}" + (f"-{last}" if last > first else "")
    values = {**found.given, **fixed}
    own = Namespace(value=[f"{name}={n}" for name, n in sorted(values.items())], present=optional)
    words = ["bridge", "port", source, *survey.reading, *options.words(own, options.OPTIONS)]
    return shlex.join([*words, "-o", f"packs/{Path(found.file).stem}"])


def content(survey: Survey) -> dict[str, Any]:
    """All of it."""
    reasons = frequent(refusals(survey))
    return {
        "paths": survey.paths,
        "files": survey.files,
        "machine": survey.machine or None,
        "gpu": survey.gpu or None,
        "procedures": [_row(survey, row) for row in survey.rows],
        "reasons": [
            {"kind": kind, "count": count, "first": _refusal(first)}
            for kind, count, first in reasons
        ],
        "unreadable": survey.unreadable,
        "modules_in_several_files": survey.twice,
        "widths": survey.widths,
        "unmatched_routines": None if survey.profile is None else [
            {"routine": one.written, "seconds": one.seconds}
            for one in survey.profile.unmatched(row.found.name for row in survey.rows)
        ],
    }  # fmt: skip


def _row(survey: Survey, row: Row) -> dict[str, Any]:
    found, g = row.found, row.gains
    return {
        **_of(found, "name path file line last kind io translates"),
        "as": found.how,
        **_of(found, "fixed shapes initial outside types texts numbers said calls procedures"),
        "needs_procedure": found.stand_in and not found.translates,
        **_of(found, "optional kernels"),
        "work": _work(found.work),
        "gain": None if g is None else {
            "cpu": [g.cpu.low, g.cpu.high], "gpu": g.gpu, "resident": g.resident,
            "bound_by": g.place, "slower": list(g.slower),
        },
        "share": row.share,
        "refusal": _refusal(found.refusal),
        "other_refusal": _refusal(found.also),
        "column_refusal": _refusal(found.column),
        "command": "" if found.body == (0, 0) else of_lines(
            survey, found, found.body, found.fixed, found.optional
        ),
        "nests": [_nest(survey, found, nest) for nest in found.nests],
    }  # fmt: skip


def _of(found: object, names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names.split()}


def _nest(survey: Survey, found: Found, nest: Nest) -> dict[str, Any]:
    return {
        "lines": list(nest.lines),
        "command": of_nest(survey, found, nest),
        "translates": nest.work is not None,
        **_of(nest, "kernels fixed outside call inside optional"),
        "work": _work(nest.work),
        "refusal": _refusal(nest.refusal),
    }


def _work(work: Work | None) -> dict[str, Any] | None:
    return None if work is None else _of(work, "flops operations every read written fetched")


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    place = refusal.place
    return {"file": place.file, "line": place.line, **_of(refusal, "construct why change")}
