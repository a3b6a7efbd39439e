"""Twin of tests/kernels/test_reference_transport.py on a GPU."""

from kernels.test_reference_transport import *  # noqa: F403
