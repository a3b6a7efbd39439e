"""`bridge info`: what is installed and what a run would use."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """The subcommand."""
    text = "version, Python, backend, instruction set, threads"
    info = commands.add_parser("info", help=text, description=f"Print {text}, of a run here.")
    info.set_defaults(action=run)


def run(_: argparse.Namespace) -> int:
    """Print what is installed and what a run would use."""
    import platform

    import bridge
    from bridge import bridge_config, mpi
    from bridge.backends import open_backend
    from bridge.plan import packs, replacements
    from bridge.plan.catalogue import Catalogue
    from bridge.settings import Settings, unread_variables

    settings = Settings()
    for line in unread_variables().values():
        print(f"bridge: {line}", file=sys.stderr)
    backend = open_backend(settings.backend(), threads=settings.threads(mpi.host_size()))
    try:
        library = str(bridge_config.entry_file("libbridge.so"))
    except ModuleNotFoundError:
        library = "none: built without its entry, for Python alone"
    facts = {
        "bridge": bridge.__version__,
        "python": f"{platform.python_version()} at {sys.executable}",
        "library": library,
        **backend.describe(),
        "packs": ", ".join(pack.name for pack in packs.found()) or "none",
    }
    if backend.name == "cuda":
        from bridge.backends.gpu import nccl

        facts["NCCL"] = nccl.state()
    replaced = replacements.shown(Catalogue.installed())
    if replaced:
        facts["replaced"] = replaced
    for name, value in facts.items():
        print(f"{name:<12} {value}")
    if backend.name == "cuda":
        policies(backend)
    return 0


def policies(backend: Any) -> None:
    """The rows of the policy table that this GPU gets."""
    from tabulate import tabulate

    rows = [
        (f"{key[0]}.x", key[1], key[2], str(row.policy), row.nanoseconds or None, row.note)
        for key, row in backend.device.table.listed(backend.device.arch).items()
    ]
    if rows:
        headers = ("class", "kind", "species", "launch policy", "ns/point", "measured on")
        print("\n" + tabulate(rows, headers, floatfmt=".3g"))
