"""`timing` under the name that scripts outside the package know."""

from bridge.bench.timing import Times
from bridge.bench.timing import time_in_turns as race

__all__ = ["Times", "race"]
