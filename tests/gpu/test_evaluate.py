"""Twin of tests/unit/test_evaluate.py on a GPU."""

from unit.test_evaluate import *  # noqa: F403
