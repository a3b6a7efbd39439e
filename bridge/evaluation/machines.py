"""Backends that evaluations share, each opened once, with the constants that it holds."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from bridge.backends import open_backend
from bridge.backends.base import Backend
from bridge.physics.shared import SharedData


class Machine:
    """A backend. alone: to be held while constants and tables are installed and programs made of
    them: another thread's species must not come between."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.alone = Lock()
        self._installed: SharedData | None = None

    def install(self, shared: SharedData) -> None:
        """Programs that are made from now on read these constants."""
        if self._installed is not shared:
            self._installed = None
            self.backend.set_shared(shared)
            self._installed = shared

    @property
    def reads_memory_of_the_host(self) -> bool:
        """Whether kernels read arrays where they lie, however far apart their elements are."""
        return self.backend.device_copies is None


@lru_cache(maxsize=8)
def machine(name: str, threads: int) -> Machine:
    """The backend of this name with so many threads of the CPU."""
    return Machine(open_backend(name, threads=threads))
