"""Twin of tests/unit/test_pending_runs.py on a GPU."""

from unit.test_pending_runs import *  # noqa: F403
