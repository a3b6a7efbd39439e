"""Twin of tests/kernels/test_gap.py on a GPU."""

from kernels.test_gap import *  # noqa: F403
