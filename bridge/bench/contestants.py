"""`programs` under the name that scripts outside the package know."""

from bridge.bench.programs import *  # noqa: F403
