"""Twin of tests/kernels/test_cantera.py on a GPU."""

from kernels.test_cantera import *  # noqa: F403
