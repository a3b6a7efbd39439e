"""`timing` under the name that scripts outside the package know."""

from bridge.measuring.timing import Times
from bridge.measuring.timing import time_in_turns as race

__all__ = ["Times", "race"]
