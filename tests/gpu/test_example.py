"""Twin of tests/kernels/test_example.py on a GPU."""

from kernels.test_example import *  # noqa: F403
