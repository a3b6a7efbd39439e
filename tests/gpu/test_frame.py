"""Twin of tests/unit/test_frame.py on a GPU."""

from unit.test_frame import *  # noqa: F403
from unit.conftest import make_frame  # noqa: F401
