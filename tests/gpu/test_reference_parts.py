"""Twin of tests/kernels/test_reference_parts.py on a GPU."""

from kernels.test_reference_parts import *  # noqa: F403
