"""What the ranks of a run took down, as a table, as JSON and as a trace.

A part is what one rank knows, in types of JSON. Parts of all ranks come together over the host's
communicator; where there is none, each rank leaves its part beside the file, and the last one
joins them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bridge.output import write_file
from bridge.timers import ALWAYS, ONE_OF

Part = dict[str, Any]
#: Names the files, so that a reader knows what it has.
TIMERS, TRACE = "bridge timers 1", "bridge trace 1"
#: Where a launcher tells its processes which job they are.
_JOBS = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "PMI_JOBID")


def job() -> str:
    """What the ranks of one job have in common, as far as the launcher says."""
    return next((os.environ[name] for name in _JOBS if os.environ.get(name)), "")


# ---- over ranks -------------------------------------------------------------------------------


def over_ranks(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """A row for each timer: calls, and seconds of a rank at least, in the mean and at most, over
    all ranks (0 where a rank has no such call)."""
    rows = []
    for where in ("host", "device"):
        names = dict.fromkeys(name for part in parts for name in part[where])
        for name in names:
            mine = [part[where].get(name) for part in parts]
            known = [one for one in mine if one is not None]
            totals = [0.0 if one is None else one["total"] for one in mine]
            calls = sum(one["calls"] for one in known)
            rows.append(
                {
                    "where": where,
                    "name": name,
                    "ranks": len(known),
                    "calls": calls,
                    "total": _spread(totals),
                    "rank of max": parts[totals.index(max(totals))]["rank"],
                    "call": {
                        "min": min(one["min"] for one in known),
                        "mean": sum(totals) / calls,
                        "max": max(one["max"] for one in known),
                    },
                }
            )
    return rows


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": min(values), "mean": sum(values) / len(values), "max": max(values)}


def kernels_over_ranks(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """A row for each kernel of a composite on CPUs, in the order in which they run: its share of
    the composite, and seconds of a rank."""
    rows = []
    for composite in dict.fromkeys(name for part in parts for name in part["kernels"]):
        mine = [part["kernels"][composite] for part in parts if composite in part["kernels"]]
        whole = sum(sum(one["total"].values()) for one in mine) or 1.0
        for name in dict.fromkeys(name for one in mine for name in one["total"]):
            totals = [one["total"].get(name, 0.0) for one in mine]
            rows.append(
                {
                    "composite": composite,
                    "name": name,
                    "ranks": len(mine),
                    "blocks looked at": sum(one["blocks looked at"] for one in mine),
                    "share": sum(totals) / whole,
                    "total": _spread(totals),
                }
            )
    return rows


def _kernel_table(parts: Sequence[Part]) -> str:
    """The same as text, those first that take most; "" where nothing was looked at."""
    from tabulate import tabulate

    rows = kernels_over_ranks(parts)
    told = ""
    for composite in dict.fromkeys(row["composite"] for row in rows):
        mine = [row for row in rows if row["composite"] == composite]
        mine.sort(key=lambda row: -row["share"])
        cells = [
            [row["name"], 100.0 * row["share"], *(1e3 * one for one in row["total"].values())]
            for row in mine
        ]
        headers = ["kernel", "share %", "total ms\nmin", "mean", "max"]
        blocks = mine[0]["blocks looked at"]
        told += f"\n\nkernels of {composite}: shares sampled, of {blocks} blocks\n"
        told += tabulate(cells, headers, tablefmt="simple", floatfmt=("", ".1f", *[".3f"] * 3))
    return told


def table(parts: Sequence[Part]) -> str:
    """The same as text, in milliseconds, with the kernels of composites; and the ledger of the
    rank that copied most."""
    from tabulate import tabulate

    rows = [
        [
            *(row["where"], row["name"], row["calls"]),
            *(1e3 * row["total"][which] for which in ("min", "mean", "max")),
            row["rank of max"],
            1e6 * row["call"]["mean"],
        ]
        for row in over_ranks(parts)
    ]
    headers = ["where", "what", "calls\n(all ranks)", "total ms\nmin", "mean", "max",
               "rank\nof max", "us per\ncall"]  # fmt: skip
    formats = ("", "", "d", ".3f", ".3f", ".3f", "d", ".2f")
    told = tabulate(rows, headers, tablefmt="simple", floatfmt=formats)
    if any(row[0] == "device" and row[2] > ALWAYS * len(parts) for row in rows):
        told += (
            f"\ndevice: without a trace, the first {ALWAYS} of a name on a rank are timed, then "
            f"one of {ONE_OF} for all of them"
        )
    told += _kernel_table(parts)
    most = max(parts, key=lambda part: sum(one["bytes"] for one in part["ledger"].values()))
    if not most["ledger"]:
        return told
    fields = list(next(iter(most["ledger"].values())))
    counts = [[call, *one.values()] for call, one in most["ledger"].items()]
    return f"{told}\n\nledger of rank {most['rank']}\n" + tabulate(counts, ["call", *fields])


def timers_document(parts: Sequence[Part]) -> Iterator[str]:
    """The file of timers, piece by piece."""
    ranks = [{key: value for key, value in part.items() if key != "trace"} for part in parts]
    document = {
        "format": TIMERS,
        "size": parts[0]["size"],
        "described": parts[0]["described"],
        "over ranks": over_ranks(parts),
        "kernels over ranks": kernels_over_ranks(parts),
        "ranks": ranks,
    }
    yield json.dumps(document, indent=1)
    yield "\n"


def trace_document(parts: Sequence[Part]) -> Iterator[str]:
    """The file of a trace, piece by piece, in the form that Perfetto and Chrome read: a rank is a
    process, a thread or a stream of a device one of its threads; microseconds from the first
    rank's beginning."""
    start = min(part["trace"]["began"] + part["trace"]["wall"] for part in parts)
    left_out = sum(part["trace"]["left_out"] for part in parts)
    other = {"format": TRACE, "size": parts[0]["size"], "spans left out": left_out}
    yield '{"displayTimeUnit": "ms",\n"otherData": ' + json.dumps(other) + ',\n"traceEvents": [\n'
    between = ""
    for part in parts:
        for event in _events(part, start):
            yield between + json.dumps(event, separators=(",", ":"))
            between = ",\n"
    yield "\n]}\n"


def _events(part: Part, start: int) -> Iterator[dict[str, Any]]:
    trace, rank = part["trace"], part["rank"]
    name = f"rank {rank} on {part['machine']}, process {part['process']}"
    yield {"ph": "M", "pid": rank, "name": "process_name", "args": {"name": name}}
    yield {"ph": "M", "pid": rank, "name": "process_sort_index", "args": {"sort_index": rank}}
    for number, track in enumerate(trace["tracks"]):
        about = {"ph": "M", "pid": rank, "tid": number}
        yield {**about, "name": "thread_name", "args": {"name": track}}
        yield {**about, "name": "thread_sort_index", "args": {"sort_index": number}}
    flat, names, tracks = trace["spans"], trace["names"], trace["tracks"]
    shift = trace["wall"] - start
    for at in range(0, len(flat), 4):
        which, track, begin, length = flat[at : at + 4]
        yield {
            "ph": "X",
            "pid": rank,
            "tid": track,
            "name": names[which],
            "cat": "device" if tracks[track].startswith("stream") else "host",
            "ts": (begin + shift) / 1000,
            "dur": length / 1000,
        }


# ---- files ------------------------------------------------------------------------------------

Document = Callable[[Sequence[Part]], Iterator[str]]


def unwritable(path: str) -> str | None:
    """Why a file cannot be written, None where it can; nothing is left behind."""
    there = os.path.exists(path)
    try:
        with open(path, "a"):
            pass
        if not there:
            os.unlink(path)
    except OSError as error:
        return error.strerror or str(error)
    return None


def part_name(path: str, rank: int) -> str:
    """Where a rank leaves its part."""
    return f"{path}.rank{rank}"


def forget_part(path: str, rank: int) -> None:
    """Of an earlier run that left it."""
    try:
        os.unlink(part_name(path, rank))
    except OSError:
        pass


def leave(path: str, part: Part, document: Document) -> None:
    """The file, where this rank is alone; else this rank's part, and the file where all parts are
    there now. OSError."""
    if part["size"] == 1:
        return write_file(path, document([part]))
    write_file(part_name(path, part["rank"]), [json.dumps(part)])
    parts = _all_parts(path, part)
    if not parts:
        return
    try:
        os.close(os.open(f"{path}.joining", os.O_CREAT | os.O_EXCL))
    except FileExistsError:  # another rank has seen all parts too
        return
    try:
        write_file(path, document(parts))
        for rank in range(part["size"]):
            os.unlink(part_name(path, rank))
    finally:
        os.unlink(f"{path}.joining")


def _all_parts(path: str, mine: Part) -> list[Part]:
    """Of all ranks of this job; none where one is missing."""
    parts = []
    for rank in range(mine["size"]):
        try:
            part = json.loads(Path(part_name(path, rank)).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        if (part["job"], part["size"]) != (mine["job"], mine["size"]):
            return []
        parts.append(part)
    return parts
