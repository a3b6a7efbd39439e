"""Four threads call the entry points at the same time, each with a set of its own that it binds
anew, and look at their own status and message; then they take turns on the views, and disturb each
other there. test_entry_threads.py runs it, and so does
ci/sanitize thread."""

from __future__ import annotations

import ctypes
import threading

import numpy as np

from bridge.bridge_config import entry_file

POINTS, ROUNDS, THREADS, AGAIN = 1000, 20, 4, 5
library = ctypes.CDLL(str(entry_file("libbridge.so")))
done: list[int] = []
#: All have failed before any of them looks, so that each might find the failure of another.
failed = threading.Barrier(THREADS, timeout=120)
turn = threading.Lock()


def bounds(components: int) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * 12)(POINTS, 1, 1, 1, POINTS, 1, 1, 1, 1, 1, components, components)


def work(number: int) -> None:
    q, rho = np.zeros((7, POINTS)), np.zeros(POINTS)
    q[[0, 4, 5, 6]] = np.array([[1e7], [300.0 + number], [0.25], [0.75]])
    status = ctypes.c_int()
    name, run = b"set%d" % number, b"eosThermalProperties"
    for _ in range(ROUNDS):
        for array, what, intent, components in ((q, b"Q", b"in", 7), (rho, b"rho", b"out", 1)):
            address, scale = ctypes.c_void_p(array.ctypes.data), ctypes.c_double(1.0)
            library.frame_bind_(
                name, what, intent, address, bounds(components), scale, ctypes.byref(status)
            )
            assert status.value == 0
        for _ in range(AGAIN):  # after the first time without Python
            rho[:] = 0
            library.frame_run_(name, run, ctypes.byref(status))
            assert status.value == 0 and rho[0] > 0 and (rho == rho[0]).all()
        library.frame_run_(b"no" + name, run, ctypes.byref(status))
        failed.wait()
        assert status.value == -3 == library.frame_status_()
        text = ctypes.create_string_buffer(300)
        library.frame_last_error_(text, 299)
        assert b"'no%s'" % name in text.value, text.value
        failed.wait()
    on_views(number)
    done.append(number)


def stripe(way: str, name: bytes, array: np.ndarray) -> int:
    """All points of an array into a view, or out of it; the status."""
    move = getattr(library, f"frame_castles_populate{way}putstripe_")
    components = array.size // POINTS
    box = (POINTS, 1, 1, 1, POINTS, 1, 1, 1, 1, 1, components, 1, POINTS)
    move(name, ctypes.c_void_p(array.ctypes.data), *box)
    return int(library.frame_status_())


def on_views(number: int) -> None:
    t, rho = np.full(POINTS, 300.0 + number), np.zeros(POINTS)
    p, y = np.full(POINTS, 1e7), np.full((2, POINTS), 0.5)
    wanted: set[float] = set()
    status = ctypes.c_int()

    def step() -> list[int]:
        found = [stripe("in", name, array) for name, array in ((b"T", t), (b"P", p), (b"Y", y))]
        library.frame_tvproperties_eosthermalproperties_(POINTS)
        found.append(int(library.frame_status_()))
        rho[:] = 0
        found.append(stripe("out", b"rho", rho))
        return found

    for _ in range(ROUNDS):
        with turn:
            for _ in range(AGAIN):
                assert not any(step())
                wanted.add(float(rho[0]))
                assert (rho == rho[0]).all()
        failed.wait()
        for _ in range(AGAIN):  # at the same time: refused, but for who was the last one before
            library.frame_launch_(b"eosThermalProperties", POINTS, ctypes.byref(status))
            assert status.value in (0, -4)
        failed.wait()
    assert len(wanted) == 1, wanted


answer = ctypes.c_int()
for key, value in ((b"backend", b"cpu"), (b"species", b"O2 CH4"), (b"threads", b"2")):
    library.frame_set_(key, value, ctypes.byref(answer))
library.frame_error_policy_(b"return", ctypes.byref(answer))
library.frame_initialize_(0, POINTS, 2, 7, 0)
threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.frame_finalize_()
print("threads", *sorted(done))
