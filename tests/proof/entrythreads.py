"""Four threads call the entry points at the same time, each with a set of its own that it binds
anew, and look at their own status and message. test_entry_threads.py runs it, and so does
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
    done.append(number)


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
