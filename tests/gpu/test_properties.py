"""Twin of tests/kernels/test_properties.py on a GPU."""

from kernels.test_properties import *  # noqa: F403
