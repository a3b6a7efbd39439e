"""Every entry point of bridge.h with random arguments in guarded memory (docs/reliability.md).

More of the same: `ci/fuzz calls`.
"""

from __future__ import annotations

from collections import Counter

import pytest
from proof.fuzzing import add, call_entries
from proof.lengths import entries, unknown

SEEDS = (1, 2)
CALLS = 250


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    total: Counter[str] = Counter()
    for seed in SEEDS:
        add(total, call_entries(tmp_path_factory.mktemp("calls"), seed, CALLS))
    return total


def test_every_pointer_of_the_header_has_a_length() -> None:
    """An entry that is new in bridge.h says in lengths.py how much memory it may touch."""
    missing = [words for entry in entries() for words in unknown(entry)]
    assert not missing


def test_every_entry_is_called_and_keeps_its_promises(counts: Counter[str]) -> None:
    called = {name.split()[0] for name in counts}
    assert {entry.name for entry in entries()} - called <= {"frame_status_"}


def test_calls_get_as_far_as_runs(counts: Counter[str]) -> None:
    """Arguments that are all refused would show nothing."""
    for name in ("frame_run_", "frame_wait_", "frame_bind_typed_", "frame_unbind_"):
        assert counts[f"{name} 0"] > 3, counts
