"""Twin of tests/kernels/test_status.py on a GPU."""

from kernels.test_status import *  # noqa: F403
