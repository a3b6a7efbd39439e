"""Twin of tests/kernels/test_options.py on a GPU."""

from kernels.test_options import *  # noqa: F403
