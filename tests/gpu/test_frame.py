"""Twin of tests/unit/test_frame.py on a GPU."""

from unit.conftest import make_frame  # noqa: F401
from unit.test_frame import *  # noqa: F403
