"""What a report says of this machine's GPUs."""

from __future__ import annotations

import shutil
import subprocess
import sys

from bridge.errors import DeviceError


def names() -> list[str]:
    """Every GPU that this process may use, in CUDA's order; empty where there is none."""
    from bridge.backends.cuda import why_unusable
    from bridge.backends.cuda.api import Api

    return [] if why_unusable() is not None else [one.name for one in Api().devices()]


def facts() -> dict[str, str]:
    """Members of a report's machine: the GPUs and their driver."""
    found = names()
    if not found:
        return {"gpus": "none"}
    kinds = [f"{found.count(name)} x {name}" for name in dict.fromkeys(found)]
    return {"gpus": ", ".join(kinds), "driver": _driver()}


def _driver() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return "unknown"
    asked = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60.0)
    return done.stdout.split("\n")[0].strip() or "unknown"


def refuse_none(what: str) -> None:
    """DeviceError, before a long measurement, where there is no GPU to use; what: needs one.

    Another process asks: the driver's threads would take time from what is measured first.
    """
    code = "from bridge.backends.cuda import why_unusable; print(why_unusable() or '')"
    asked = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    why = asked.stdout.strip() or asked.stderr.strip()
    if why:
        raise DeviceError(f"{what} measures a GPU, and there is none to use: {why}")
