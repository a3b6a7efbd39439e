"""The command `bridge`: see what is installed, list kernels, port Fortran, measure."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from bridge import commandline, foreign, progress
from bridge.commands import version
from bridge.errors import ArgumentError, BridgeError

#: Where each command is, in the order of the help. The one that is called is imported alone: the
#: doctor has to work where others cannot.
_COMMANDS = {
    "info": "bridge.commands.info",
    "doctor": "bridge.doctor.command",
    "fingerprint": "bridge.fingerprint.command",
    "replay": "bridge.verify.command",
    "quantities": "bridge.commands.quantities",
    "kernels": "bridge.commands.kernels",
    "tune": "bridge.commands.tune",
    "species": "bridge.commands.species",
    "bundle": "bridge.commands.bundle",
    "bench": "bridge.commands.bench",
    "plot": "bridge.commands.plot",
    "advise": "bridge.commands.advise",
    "port": "bridge_port.command",
    "gallery": "bridge_gallery.command",
    "packs": "bridge.commands.packs",
}

#: A command line of each command, for its help.
_EXAMPLES = {
    "doctor": "bridge doctor --program ./solver",
    "fingerprint": "bridge fingerprint --diff run1.log run2.log",
    "replay": "bridge replay bridge-verify.0.json --on v2 v3",
    "quantities": "bridge quantities density",
    "kernels": "bridge kernels --composites",
    "tune": "bridge tune -o policies.yaml --ns 4,16",
    "species": "bridge species show O2 CH4",
    "bundle": "bridge bundle .",
    "bench": "bridge bench kernels --ns 4 --seconds 1",
    "plot": "bridge plot field.bin field.png --fields T,rho",
    "advise": "bridge advise eosThermalProperties --ns 4 --points 100000",
    "gallery": "bridge gallery transpose --check",
    "packs": "bridge packs build --folder packs/eos --isa here",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        called = next((word for word in words if not word.startswith("-")), "")
        given = parser([called] if called in _COMMANDS else _COMMANDS).parse_args(arguments)
        with progress.waiting(_named(given)):
            return int(given.action(given))
    except BrokenPipeError:  # a reader such as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BridgeError as error:
        print(f"bridge: {_told(error, words)}", file=sys.stderr)
        return 1
    except Exception as error:
        if (line := foreign.told(error)) is None:
            raise
        print(f"bridge: {line}", file=sys.stderr)
        return 1


def parser(names: Iterable[str] = _COMMANDS) -> commandline.Parser:
    """With these subcommands."""
    parser = commandline.Parser(
        prog="bridge",
        description=__doc__,
        epilog="`bridge COMMAND --help` has a command's options, and examples of the longer ones.",
    )
    version.add(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        import_module(_COMMANDS[name]).add(commands)
        if name in _EXAMPLES:
            commands.choices[name].epilog = f"example: {_EXAMPLES[name]}"
    return parser


def _named(given: argparse.Namespace) -> str:
    """The command as it is called."""
    return f"bridge {given.command}" + (f" {given.name}" if given.command == "bench" else "")


def _told(error: BridgeError, words: Sequence[str]) -> str:
    """What went wrong; an argument by the name of the option that was typed."""
    text = str(error)
    if isinstance(error, ArgumentError):
        if f"--{error.argument}" in [word.partition("=")[0] for word in words]:
            return text.replace("argument ", "argument --", 1)
    return text
