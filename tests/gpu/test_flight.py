"""Twin of tests/unit/test_flight.py on a GPU."""

from unit.test_flight import *  # noqa: F403
