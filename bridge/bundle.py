"""`bridge bundle`: the modules that a run imports, in one archive.

A start of many ranks asks a shared file system for hundreds of small files each. With
BRIDGE_BUNDLE set to the archive a rank opens that one file, which a job may copy to the nodes.
"""

from __future__ import annotations

import _imp
import marshal
import os
import subprocess
import sys
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

from bridge.bridge_config import entry_file
from bridge.errors import ArgumentError, BridgeError
from bridge.plan import packs

#: Begins an archive; its last byte counts the forms.
MARK = b"bundle\x00\x01"
#: Name of the archive in the folder that is asked for.
NAME = "bridge.bundle"

#: Run by the Python of a sample run: names and files of what it has imported and of what
#: `frame_report` would import, and what decides whether an archive fits.
_REPORT = """
import atexit, marshal, os, sys
def report():
    import bridge.fingerprint.lines, bridge.fingerprint.parts, bridge.report, tabulate
    found = []
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if spec is not None and spec.has_location and spec.origin:
            found.append((name, spec.origin, spec.submodule_search_locations is not None))
    folders = [path for path in sys.path if path.endswith("-packages") and os.path.isdir(path)]
    stamps = [(path, os.stat(path).st_mtime_ns) for path in folders]
    with open(REPORT, "wb") as file:
        marshal.dump((found, sys.prefix, stamps), file)
atexit.register(report)
"""


def make(folder: Path) -> tuple[Path, int]:
    """Write the archive into a folder; its path and the number of its modules."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError("folder", f"{folder} ({error})", "a folder to write to") from None
    found, prefix, stamps = _sample_run()
    modules: dict[str, tuple[bytes | None, str, bool]] = {}
    for name, file, package in found:
        if name == "sitecustomize" or name.startswith("_bridge_entry"):
            continue
        if file.endswith(tuple(EXTENSION_SUFFIXES)):
            modules[name] = (None, file, package)
        elif file.endswith(".py"):
            modules[name] = (_code(file), file, package)
    finder = _code(str(entry_file("bundled.py")))
    facts = {
        "prefix": prefix,
        "stamps": [tuple(stamp) for stamp in stamps],
        "entry_points": packs.any_entry_points(),
    }
    contents = marshal.dumps((MAGIC_NUMBER, finder, facts, marshal.dumps(modules)))
    target = folder / NAME
    draft = folder / f".{NAME}.{os.getpid()}"
    try:
        with open(draft, "wb") as archive:
            archive.write(MARK + _imp.source_hash(0, contents) + contents)
        draft.replace(target)
    except OSError as error:
        raise BridgeError(f"{target} cannot be written: {error}") from None
    return target, len(modules)


def _sample_run() -> tuple[list[tuple[str, str, bool]], str, list[tuple[str, int]]]:
    """What the program `start` imports until its first result."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report")
        Path(place, "sitecustomize.py").write_text(f"REPORT = {str(report)!r}\n{_REPORT}")
        environment = {
            **os.environ,
            "BRIDGE_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(filter(None, (place, os.environ.get("PYTHONPATH")))),
        }
        environment.pop("BRIDGE_BUNDLE", None)
        command = [str(entry_file("start"))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode or not report.exists():
            raise BridgeError(f"a run to see what is imported failed:\n{done.stderr}".rstrip())
        found, prefix, stamps = marshal.loads(report.read_bytes())
        return found, prefix, stamps


def _code(file: str) -> bytes:
    """Bytecode of a module, as Python keeps it."""
    kept = Path(cache_from_source(file))
    source = Path(file).read_bytes()
    if kept.is_file():
        contents = kept.read_bytes()
        size = int.from_bytes(contents[12:16], "little")
        time = int.from_bytes(contents[8:12], "little")
        now = os.stat(file)
        same = (size, time) == (now.st_size & 0xFFFFFFFF, int(now.st_mtime) & 0xFFFFFFFF)
        if contents[:4] == MAGIC_NUMBER and contents[4:8] == bytes(4) and same:
            return contents[16:]
    return marshal.dumps(compile(source, file, "exec", dont_inherit=True, optimize=-1))
