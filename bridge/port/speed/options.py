"""What `bridge bench port` may be told."""

from __future__ import annotations

import argparse
from typing import Any

#: Of the original.
FLAGS = "-O3 -march=native"


def options(parser: Any, shown: bool) -> None:
    """Those that no other benchmark has; shown: whether the help tells of them."""

    def add(name: str, help: str, **named: Any) -> None:
        parser.add_argument(name, help=help if shown else argparse.SUPPRESS, **named)

    add("packs", nargs="*", metavar="PACK",
        help="that `bridge port` made (default: Fortran of this package)")  # fmt: skip
    add("--kernel", nargs="+", action="extend", default=[], metavar="NAME", help="of the packs")
    add(
        "--range",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=LOW,HIGH",
        help="as --check has it",
    )
    add(
        "--states",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE.npz",
        help="of frame_record",
    )
    add(
        "--setup", nargs="+", action="extend", default=[], metavar="FILE", help="as --check has it"
    )
    add("--keep", metavar="DIR", help="leave what was compiled there")
    add("--fflags", default="", metavar="FLAGS", help=f"of the original, behind {FLAGS}")
