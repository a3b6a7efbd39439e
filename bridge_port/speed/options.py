"""What `bridge bench port` may be told."""

from __future__ import annotations

from typing import Any

from bridge_port.options import some

#: Of the original.
FLAGS = "-O3 -march=native"
#: Options of the check that it has as well.
OWN = some("kernel", "range", "states", "setup", "keep")


def options(parser: Any) -> None:
    """Those that no other benchmark has."""
    parser.add_argument("packs", nargs="*", metavar="PACK",
                        help="of `bridge port` (default: Fortran of this package)")  # fmt: skip
    for option in OWN:
        option.add(parser)
    parser.add_argument("--fflags", default="", metavar="FLAGS",
                        help=f"more flags for the original, after {FLAGS}")  # fmt: skip
