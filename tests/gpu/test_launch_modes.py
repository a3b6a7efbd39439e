"""Twin of tests/unit/test_launch_modes.py on a GPU."""

from unit.test_launch_modes import *  # noqa: F403
