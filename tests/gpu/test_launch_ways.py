"""Twin of tests/unit/test_launch_ways.py on a GPU."""

from unit.test_launch_ways import *  # noqa: F403
