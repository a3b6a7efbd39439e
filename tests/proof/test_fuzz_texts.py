"""Texts that were spoiled at random are read or refused in words: catalogues of packs, species
tables, sources of `bridge port`, kept files. More of the same: `ci/fuzz texts`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from proof.fuzzing import spoil_texts


@pytest.mark.parametrize(
    ("kind", "cases", "outcomes"),
    [
        ("catalogue", 25, {"read", "refused"}),
        ("species", 60, {"read", "refused"}),
        ("source", 40, {"ported", "refused", "surveyed"}),
        ("kept", 400, {"refused"}),
    ],
)
def test_spoiled_texts(tmp_path: Path, kind: str, cases: int, outcomes: set[str]) -> None:
    assert outcomes <= set(spoil_texts(tmp_path, kind, 1, cases))
