"""The command `bridge`: see what is installed, list kernels, port Fortran, measure."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from bridge import commandline, progress
from bridge.commands import (
    advise,
    bench,
    bundle,
    info,
    kernels,
    packs,
    plot,
    quantities,
    species,
    tune,
    version,
)
from bridge.doctor import command as doctor
from bridge.errors import ArgumentError, BridgeError
from bridge.fingerprint import command as fingerprint
from bridge.gallery import command as gallery
from bridge.port import command as port
from bridge.verify import command as replay

#: In the order of the help.
_COMMANDS = (
    *(info, doctor, fingerprint, replay),
    *(quantities, kernels, tune, species, bundle),
    *(bench, plot, advise, port, gallery, packs),
)


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
    given = parser().parse_args(arguments)
    try:
        with progress.waiting(_named(given)):
            return int(given.action(given))
    except BrokenPipeError:  # a reader such as `head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BridgeError as error:
        print(f"bridge: {_told(error, arguments)}", file=sys.stderr)
        return 1


def parser() -> commandline.Parser:
    """With every subcommand."""
    parser = commandline.Parser(
        prog="bridge",
        description=__doc__,
        epilog="`bridge COMMAND --help` has a command's options, and examples of the longer ones.",
    )
    version.add(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(commands)
    for name, example in _EXAMPLES.items():
        commands.choices[name].epilog = f"example: {example}"
    return parser


def _named(given: argparse.Namespace) -> str:
    """The command as it is called."""
    return f"bridge {given.command}" + (f" {given.name}" if given.command == "bench" else "")


def _told(error: BridgeError, arguments: Sequence[str] | None) -> str:
    """What went wrong; an argument by the name of the option that was typed."""
    text = str(error)
    if isinstance(error, ArgumentError):
        words = sys.argv[1:] if arguments is None else arguments
        if f"--{error.argument}" in [word.partition("=")[0] for word in words]:
            return text.replace("argument ", "argument --", 1)
    return text
