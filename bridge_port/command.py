"""The command `bridge port`."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.errors import ArgumentError, BridgeError
from bridge.plan import verified
from bridge_port import options
from bridge_port.kernel import Kernel
from bridge_port.output import pack
from bridge_port.output.hostdata import text_name
from bridge_port.output.runs import run_names, runs
from bridge_port.refusal import Refusal, Refused
from bridge_port.request import Ported, request_of
from bridge_port.syntax.statements import walk
from bridge_port.syntax.text import line

HELP = "a kernel pack from a procedure or a loop nest of Fortran, and its check"
DONE, REFUSED, USAGE = 0, 1, 2
#: What a nest of a procedure is to be read with as well.
_OF_NESTS = ("folders", "defines", "more", "fixed", "free", "width", "private", "value")

_EXAMPLES = """
examples:
  bridge port --survey src/ --profile times.csv          what could be ported, and its gain
  bridge port src/eos.f90::density -o packs/eos          a procedure of one point
  bridge port src/rhs.f:21-64 -o packs/rhs               a loop nest by its lines
  bridge port src/flux.f90@fluxes -o packs/flux          between !$bridge begin fluxes and
                                                         !$bridge end
  bridge port --check packs/eos                          the original against the kernels

Other options are best kept in the pack, in packs/eos/port.toml; a refusal prints the line.
  [options]
  width = 132
`bridge port --help-all` has all of them.
"""
_MORE = """
Each option of a port, and most of the check, may stand in the pack's port.toml as well, for all
its kernels or for one source; paths are from its folder. The command line goes before it.
  [options]
  folders = ["../../src"]
  width = 132
  drop-output = true
  [options."::density"]
  private = ["t_last"]
  value = { nspecies = 5, scheme = "upwind" }
  shape = { wsave = 35, "state%t" = ["0:9", 8] }

real states: the running code writes them. Bind the inputs as for a run, then, each step before the
loop,
  call frame_record('cells', 'eos_density', 'eos')
and the end of the Frame (or frame_record_write) writes eos.RANK.npz: ranges of all inputs and a
sample of points. --states takes them: the random states of the check then lie in these ranges.

exit status: 0 done, 1 refused or different, 2 a wrong call.
"""


_USAGE = """bridge port SOURCE -o FOLDER [options]
       bridge port --check FOLDER [options]
       bridge port --survey PATH ... [options]"""
_SOURCE = "SRC::NAME|SRC:FIRST-LAST|SRC@NAME"


def add(commands: Any) -> None:
    """To the parser of `bridge`."""
    parser = commands.add_parser(
        "port", help=HELP, description=HELP, usage=_USAGE, epilog=_MORE, add_help=False,
        formatter_class=_Formatter,
    )  # fmt: skip
    _add_helps(parser)
    options.add(parser)
    parser.set_defaults(action=run)


def _add_helps(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", metavar=_SOURCE)
    parser.add_argument("-h", "--help", action=_Help, nargs=0, help="this help")
    parser.add_argument("--help-all", action=_Help, nargs=0, help="all options")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=99)


class _Help(argparse.Action):
    """The first help has what a newcomer needs."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: object,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        if option_string != "--help-all":
            parser = argparse.ArgumentParser(
                description=HELP, usage=_USAGE, epilog=_EXAMPLES, add_help=False,
                formatter_class=_Formatter,
            )  # fmt: skip
            _add_helps(parser)
            for option in options.OPTIONS:
                if option.first:
                    option.add(parser)
        parser.print_help()
        parser.exit()


def run(own: argparse.Namespace) -> int:
    given = options.complete(own, options.Table())
    try:
        if given.survey:
            return _survey(given)
        if given.check:
            from bridge_port.check.command import check

            if given.source or given.output:
                raise ArgumentError("--check", given.source or given.output, "the folder alone")
            return check(own)
        if not given.source or not given.output:
            raise ArgumentError("source" if not given.source else "-o", "nothing",
                                "SRC::NAME -o FOLDER, --check FOLDER, --survey PATH")  # fmt: skip
        return _port(own)
    except Refused as refused:
        commands = _commands(own, refused.nests)
        return refuse([refused.refusal, *refused.others], own, commands)
    except ArgumentError as error:
        if given.json:
            print(json.dumps({"status": "usage", "message": str(error)}, indent=1))
        print(f"bridge port: {error}", file=sys.stderr)
        return USAGE
    except BridgeError as error:
        if given.json:
            print(json.dumps({"status": "failed", "message": str(error)}, indent=1))
        print(f"bridge port: {error}", file=sys.stderr)
        return REFUSED


def _survey(given: argparse.Namespace) -> int:
    from bridge_port.survey.command import command

    if given.check or given.output or (given.source and not given.json):
        raise ArgumentError("--survey", given.check or given.output or given.source, "paths alone")
    return command(given, request_of(given).values)


def _commands(own: argparse.Namespace, nests: Sequence[tuple[int, int]]) -> list[str]:
    """Of nests of a procedure that is refused."""
    if not nests:
        return []
    main, _ = options.split(own.source)
    given = options.complete(own, options.Table.read(Path(own.output), own.source))
    words = options.words(given, options.some(*_OF_NESTS))
    return [
        shlex.join(["bridge", "port", f"{main}:{a}-{b}", *words, "-o", own.output])
        for a, b in nests
    ]


def refuse(
    refusals: Sequence[Refusal], own: argparse.Namespace, commands: Sequence[str] = ()
) -> int:
    """commands: that port the loops of a procedure, which is refused as a whole."""
    folder = Path(own.output)
    lines = options.lines((one.change for one in refusals), own.source, folder)
    if getattr(own, "json", False):
        listed = [
            {
                "file": r.place.file, "line": r.place.line, "last": r.place.last or r.place.line,
                "construct": r.construct, "why": r.why, "change": r.change,
            }
            for r in refusals
        ]  # fmt: skip
        told = {"status": "refused", "refusal": listed[0], "refusals": listed,
                "commands": [*commands], "options": lines}  # fmt: skip
        print(json.dumps(told, indent=1))
        return REFUSED
    text = [*map(str, refusals), "bridge port: refused, nothing is written"]
    if lines:
        text.append(f"options that are asked for, as lines of {folder / verified.FILE}:")
    text += [f"  {one}" for one in lines]
    if commands:
        text.append("its loops over points can be ported by their lines:")
    text += [f"  {one}" for one in commands]
    print("\n".join(text), file=sys.stderr)
    return REFUSED


def _port(own: argparse.Namespace) -> int:
    folder = Path(own.output)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError("-o", f"{own.output!r} (a file)", "a folder for the pack")
    table = options.Table.read(folder, own.source)
    given = options.complete(own, table)
    if given.prefix is None:
        own.prefix = pack.prefix_of(folder)
    request = request_of(own, table)
    ported = request.ported(every=True)
    own.source = request.source
    name = ported.module.base or ported.kernels[0].name
    written = pack.write(
        folder, name, ported.kernels, ported.pieces(), options.kept(own, folder),
        given.fflags or options.FLAGS, ported.module, given.force,
    )  # fmt: skip
    if given.json:
        print(json.dumps(_result(ported, written), indent=1))
    else:
        print(_told(ported, written))
    return DONE


def _result(ported: Ported, written: pack.Written) -> dict[str, object]:
    kernels = [
        {
            "name": k.name, "header": k.header, "file": k.procedure.place.file,
            "line": k.procedure.place.line, "inputs": [q.name for q in k.inputs],
            "outputs": [q.name for q in k.outputs], "constants": [v.name for v in k.constants],
            "tables": [v.name for v in k.tables], "sweep": k.procedure.sweep,
            "reductions": [r.variable for r in k.procedure.reductions], "notes": k.notes,
        }
        for k in ported.kernels
    ]  # fmt: skip
    folder = str(written.folder)
    together = [[k.name for k in some] for some in runs(ported.kernels)] if ported.nest else []
    return {
        "status": "written", "folder": folder, "files": written.files, "kernels": kernels,
        "runs": together,
    }  # fmt: skip


def _told(ported: Ported, written: pack.Written) -> str:
    lines = [_kernel(k) for k in ported.kernels]
    lines += _runs(ported) if ported.nest else []
    lines += [f"  note: {note}" for k in ported.kernels for note in dict.fromkeys(k.notes)]
    lines += [f"  note: {note}" for note in _included(ported)]
    lines += [f"  note: {one} is of no kernel of this pack" for one in written.unused]
    lines.append(f"{written.folder}: {', '.join(written.files)}")
    if written.kept:
        lines.append(f"  kept as they were: {', '.join(written.kept)}")
    tables = [t.name for k in ported.kernels for t in k.tables]
    free = [c.name for k in ported.kernels for c in k.constants if c.value is None]
    if ported.nest:
        name = ported.module.name
        lines.append(
            f"next: bridge port --check {written.folder}; then, in the place of the "
            f"{'loops' if ported.called is None else 'call'}, use {name}:"
        )
        lines += [line(ported.told(entry), 2) for entry in ("bind", "run", "unbind")]
    else:
        lines.append(f"next: bridge port --check {written.folder}; then frame_bind its arguments "
                     f"and frame_run '{ported.kernels[0].name}'")  # fmt: skip
        texts = [q for q in ported.kernels[0].outputs if q.texts]
        if texts:
            lines.append(f"  numbers of texts: use {ported.module.name}, call " + ", ".join(
                f"{text_name(q)}(number, text)" for q in texts))  # fmt: skip
        if free or tables or any(k.constants for k in ported.kernels):
            name = ported.kernels[0].name
            given = ", ".join([*free, *tables])
            lines.append(f"  before the first run: use {ported.module.name}, "
                         f"call give_{name} ({given})")  # fmt: skip
    return "\n".join(lines)


def _included(ported: Ported) -> list[str]:
    """Files that the module includes, and where they lie."""
    folders = {one.name: one.file for one in ported.program.folders.included}
    return [
        f"{ported.module.name}.f90 includes {one}: compile it with "
        f"-I {Path(folders[one]).resolve().parents[len(Path(one).parts) - 1]}"
        for one in ported.module.included()
    ]


def _runs(ported: Ported) -> list[str]:
    """Which kernels of a nest are one pass through memory."""
    named = zip(run_names(ported.kernels, ported.module.base), runs(ported.kernels), strict=True)
    return [
        f"  run {one}: {', '.join(f'{k.name} ({_lines(k)})' for k in some)} together"
        for one, some in named
        if len(some) > 1
    ]


def _lines(k: Kernel) -> str:
    """Of the statements that a kernel was made of."""
    lines = [s.place.line for s in walk(k.procedure.unit.body) if s.place.line]
    first, last = min(lines), max(lines)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _kernel(k: Kernel) -> str:
    words = [f"{_count(len(k.inputs), 'input')}, {_count(len(k.outputs), 'output')}"]
    if k.constants:
        words.append(_count(len(k.constants), "constant"))
    if k.tables:
        words.append(_count(len(k.tables), "table"))
    if k.procedure.sweep:
        words.append(f"a sweep along {k.procedure.sweep}")
    if k.procedure.reductions:
        words.append(_count(len(k.procedure.reductions), "reduction"))
    fringes = [q.name for q in k.inputs if q.reads]
    if fringes:
        words.append(f"neighbours of {', '.join(fringes)}")
    return f"{k.name} of {k.procedure.place}: {', '.join(words)}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
