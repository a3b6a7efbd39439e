"""Errors that are told again, of another argument or of a part of it."""

from __future__ import annotations

import pytest

from bridge.errors import ArgumentError, InconsistentError

WRONG = ArgumentError("nx", -1, "points of a block", start="n")
LACKS = InconsistentError("species", "H2 lacks Tc", "add it")
ALONE = InconsistentError("species", "H2 lacks Tc")


@pytest.mark.parametrize(
    ("error", "about", "more", "within"),
    [
        (
            WRONG,
            "argument n: got -1, wanted points of a block",
            "argument n: got -1, wanted points of a block; see there",
            "argument nx: got -1 of block 3, wanted points of a block",
        ),
        (
            LACKS,
            "argument n: H2 lacks Tc; add it",
            "argument n: H2 lacks Tc; add it; see there",
            "argument species of block 3: H2 lacks Tc; add it",
        ),
        (
            ALONE,
            "argument n: H2 lacks Tc",
            "argument n: H2 lacks Tc; see there",
            "argument species of block 3: H2 lacks Tc",
        ),
    ],
)
def test_an_error_told_again_keeps_its_form(
    error: ArgumentError, about: str, more: str, within: str
) -> None:
    again = [error.about("n"), error.about("n", "see there"), error.within("block 3")]
    assert [str(one) for one in again] == [about, more, within]
    for one in again:
        assert type(one) is type(error) and (one.start, one.status) == (error.start, -3)
