"""The reader of the flow solver's files (fortran_stub/flow/outputfile.py), for the tests."""

from __future__ import annotations

from collections.abc import Callable

from outputfile import Output, read

__all__ = ["Output", "Solve", "read"]

#: What the fixture of conftest.py gives: Name=value ... of a case -> its output.
Solve = Callable[..., Output]
