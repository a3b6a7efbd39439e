"""Which GPU a rank gets: the caller's number, its rank on the node, a UUID, the nearest.

Pure decisions, apart from what the node says about itself; the backend calls them once.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bridge import log
from bridge.backends.gpu.driver import Facts
from bridge.errors import ArgumentError, DeviceError

POLICIES = "given, local-rank, nearest or the UUID of a GPU"

#: What launchers tell a process about its place on the node.
_LOCAL_RANK = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
               "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", "SLURM_LOCALID")  # fmt: skip


def choose(
    policy: str,
    device_id: int,
    devices: Sequence[Facts],
    local_rank: int,
    cores: frozenset[int] = frozenset(),
    near: Sequence[frozenset[int]] = (),
) -> Facts:
    """The device of this rank.

    policy: "given" (device_id counts), "local-rank" (ranks of a node take turns), "nearest" (the
    devices beside this rank's cores, in turns), or a UUID, in full or its beginning; near: the
    cores beside each device. ArgumentError where there is no such device.
    """
    if not devices:
        raise DeviceError("no usable GPU: the driver shows none to this process")
    if policy == "given":
        if device_id >= len(devices):
            raise ArgumentError("device_id", device_id, f"0 to {len(devices) - 1}: the rank "
                                f"modulo {len(devices)}, the GPUs that are visible")  # fmt: skip
        return devices[device_id]
    if policy == "local-rank":
        return devices[local_rank % len(devices)]
    if policy == "nearest":
        beside = [d for d, its in zip(devices, near, strict=False) if its & cores]
        mine = beside or list(devices)
        return mine[local_rank % len(mine)]
    wanted = policy.upper()
    found = [d for d in devices if d.uuid.upper().startswith(wanted)]
    if wanted.startswith("GPU-") and len(found) == 1:
        return found[0]
    visible = ", ".join(d.uuid for d in devices)
    raise ArgumentError("device", repr(policy), f"{POLICIES} ({visible})")


def launcher_rank() -> int:
    """This rank's number on its node, as the launcher tells it, else 0."""
    for name in _LOCAL_RANK:
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return 0


def cores_beside(device: Facts) -> frozenset[int]:
    """The cores of the node's part that the device hangs on; empty where the node keeps quiet."""
    path = Path("/sys/bus/pci/devices", device.pci.lower(), "local_cpulist")
    try:
        text = path.read_text()
    except OSError:
        return frozenset()
    cores: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            cores.update(range(int(first), int(last or first) + 1))
    return frozenset(cores)


def service_runs() -> bool:
    """Whether CUDA's multi-process service (MPS) answers on this node."""
    pipe = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
    return Path(pipe, "control").exists()


def say_sharing(places: Sequence[tuple[str, str]]) -> None:
    """How many ranks have which GPU; places: (host, PCI id) of each rank's."""
    shared = Counter(places)
    service = "with MPS" if service_runs() else "without MPS: their launches take turns"
    where = ", ".join(f"{count} on {host} {pci}" for (host, pci), count in shared.items())
    how = f"; shared {service}" if max(shared.values()) > 1 else ""
    log.say(f"ranks per GPU: {where}{how}")
