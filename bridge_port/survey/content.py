"""All that a survey found, for --json."""

from __future__ import annotations

from typing import Any

from bridge_port.refusal import Refusal
from bridge_port.survey.commands import of_lines, of_nest
from bridge_port.survey.found import Found, Nest
from bridge_port.survey.reasons import frequent
from bridge_port.survey.report import refusals
from bridge_port.survey.survey import Row, Survey
from bridge_port.survey.work import Work


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
    found = row.found
    g = row.gains
    return {
        "name": found.name,
        "path": found.path,
        "file": found.file,
        "line": found.line,
        "last": found.last,
        "kind": found.kind,
        "io": found.io,
        "translates": found.translates,
        "as": found.how,
        "fixed": found.fixed,
        "shapes": found.shapes,
        "initial": found.initial,
        "outside": found.outside,
        "types": found.types,
        "texts": found.texts,
        "numbers": found.numbers,
        "said": found.said,
        "calls": found.calls,
        "procedures": found.procedures,
        "needs_procedure": found.stand_in and not found.translates,
        "optional": found.optional,
        "kernels": found.kernels,
        "work": _work(found.work),
        "gain": None if g is None else {
            "cpu": g.cpu, "gpu": g.gpu, "resident": g.resident, "bound_by": g.place,
            "slower": list(g.slower),
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


def _nest(survey: Survey, found: Found, nest: Nest) -> dict[str, Any]:
    return {
        "lines": list(nest.lines),
        "command": of_nest(survey, found, nest),
        "translates": nest.work is not None,
        "kernels": nest.kernels,
        "fixed": nest.fixed,
        "outside": nest.outside,
        "call": nest.call,
        "inside": nest.inside,
        "optional": nest.optional,
        "work": _work(nest.work),
        "refusal": _refusal(nest.refusal),
    }


def _work(work: Work | None) -> dict[str, Any] | None:
    if work is None:
        return None
    return {
        "flops": work.flops,
        "operations": dict(work.operations),
        "every": dict(work.every),
        "read": work.read,
        "written": work.written,
        "fetched": work.fetched,
    }


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    return {
        "file": refusal.place.file,
        "line": refusal.place.line,
        "construct": refusal.construct,
        "why": refusal.why,
        "change": refusal.change,
    }
