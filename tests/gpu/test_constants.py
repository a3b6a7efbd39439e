"""Twin of tests/packs/test_constants.py on a GPU."""

from packs.test_constants import *  # noqa: F403
