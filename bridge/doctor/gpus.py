"""The section of GPUs: devices with PCI ids, driver, MPS, which one is ours, who shares it."""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bridge.backends import cuda
from bridge.backends.cuda import devices
from bridge.backends.gpu import nccl
from bridge.doctor.findings import Section
from bridge.doctor.process import size
from bridge.errors import ArgumentError, DeviceError

#: (host, PCI id) of the GPU of a rank, "" for none.
Place = tuple[str, str]


def section(backend: Any | None, wanted: str, places: Sequence[Place] = ()) -> Section:
    """backend: that this process has opened, None before initialize; wanted: the setting; places:
    of all ranks of the communicator, as far as they were asked."""
    found = Section("GPUs")
    visible: list[str] = []
    why = cuda.why_unusable()
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY"):
        if name in os.environ:
            found.facts[name] = os.environ[name]
    if why is not None:
        found.facts["usable"] = f"none: {why}"
        if wanted == "cuda":
            found.problem(f"backend cuda is asked for, and no GPU is usable: {why}", _remedy(why),
                          stops=True)  # fmt: skip
    else:
        visible = _listed(found)
    if backend is not None:
        found.facts["this process"] = backend.describe().get("device", "no GPU: runs on the CPU")
        device = getattr(backend, "device", None)
        if device is not None:
            found.facts["page-locked"] = size(device.locks.size)
            found.facts["ranks on it"] = str(device.sharers)
    _shared(found, places, visible)
    return found


def _listed(found: Section) -> list[str]:
    """The PCI ids of the devices that this process sees."""
    from bridge.backends.cuda.api import Api

    seen = []
    try:
        api = Api()
        for one in api.devices():
            memory = f"{one.memory / 2**30:.0f} GiB"
            words = (one.name, one.arch, one.pci, one.uuid, memory)
            found.facts[f"device {one.index}"] = ", ".join(words)
            seen.append(one.pci)
        found.facts["driver"] = api.versions()
        found.facts["NCCL"] = nccl.state()
    except DeviceError as error:  # one that the driver shows and nobody can ask
        found.problem(str(error), "nvidia-smi, which says what state the devices are in", True)
    service = devices.service_runs()
    found.facts["MPS"] = "runs on this node" if service else "does not run"
    return seen


def _shared(found: Section, places: Sequence[Place], visible: Sequence[str]) -> None:
    shared = Counter(place for place in places if place[1])
    if not shared:
        return
    found.facts["ranks per GPU"] = "\n".join(
        f"{count} on {host} {pci}" for (host, pci), count in shared.items()
    )
    alone = not devices.service_runs()
    mine = {pci: n for (host, pci), n in shared.items() if host == socket.gethostname()}
    here = [*mine.values()]
    idle = [pci for pci in visible if pci not in mine]
    if idle and max(here, default=1) > 1:
        crowded = max(mine, key=lambda pci: mine[pci])
        found.problem(
            f"{max(here)} ranks have GPU {crowded} of this node, and none has {', '.join(idle)}, "
            "which this rank sees: each rank counts the GPUs in the order of its own "
            "CUDA_VISIBLE_DEVICES",
            "the same CUDA_VISIBLE_DEVICES for all ranks of a node with frame_set('device', "
            "'local-rank'), or one GPU for each rank",
        )
    if alone and max(here, default=1) > 1:
        found.problem(
            f"{max(here)} ranks share a GPU of this node without MPS: their launches take turns",
            "nvidia-cuda-mps-control -d on the node, before the job",
        )


def _remedy(why: str) -> str:
    if "CuPy" in why or "pip install" in why:
        return "pip install 'fortran-bridge[cuda13]' (or [cuda12], as the driver asks)"
    if "driver" in why:
        return "run on a node with an NVIDIA driver, or frame_set('backend', 'auto')"
    return "unset CUDA_VISIBLE_DEVICES, or frame_set('backend', 'auto')"


def policies(found: Section) -> None:
    """Whether the table of launch policies can be read."""
    from bridge.backends.gpu import policytable

    try:
        found.facts["launch policies"] = policytable.current().name
    except ArgumentError as error:
        found.problem(str(error), "unset BRIDGE_POLICY, or bridge tune -o FILE.yaml", stops=True)
