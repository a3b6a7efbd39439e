"""Twin of tests/kernels/test_reference_thermo.py on a GPU."""

from kernels.test_reference_thermo import *  # noqa: F403
