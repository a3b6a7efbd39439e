"""How a box of points is cut into chunks for the copy engines."""

from __future__ import annotations

import pytest

from bridge.backends.gpu.chunks import cut


@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.9, 1.0, 1.16, 2.5, 4.0, float("inf"), None])
@pytest.mark.parametrize("planes", [1, 2, 3, 7, 64, 400])
@pytest.mark.parametrize("longest", [100, 250, 1600, 10**6])
def test_chunks_are_all_points_in_their_order(
    ratio: float | None, planes: int, longest: int
) -> None:
    chunks = cut((10, 10, planes), longest, ratio, shortest=200)
    first = 0
    for chunk in chunks:
        assert chunk.first == first and chunk.start == (0, 0, first // 100)
        assert 0 < chunk.points <= longest
        first += chunk.points
    assert first == 100 * planes


def lengths(ratio: float | None, planes: int = 400, longest: int = 10**6) -> list[int]:
    return [chunk.extent[2] for chunk in cut((10, 10, planes), longest, ratio, shortest=400)]


def test_the_next_chunk_comes_in_while_one_goes_out() -> None:
    """The kernels and the way back begin early, and neither direction waits for the other."""
    assert lengths(2.0)[:5] == [4, 8, 16, 32, 64]
    for ratio in (1.16, 1.5, 2.5):
        found = lengths(ratio)
        assert found[0] == 4
        assert all(b <= ratio * (a + 1) for a, b in zip(found, found[1:], strict=False))
    assert lengths(100.0) == lengths(3.0) == lengths(float("inf"))
    assert lengths(1.0)[:12] == [4, 4, 4, 5, 5, 6, 7, 7, 8, 9, 10, 11]


def test_where_more_goes_in_the_last_chunks_are_short() -> None:
    for ratio in (0.2, 0.5, 0.8):
        assert lengths(ratio) == lengths(1 / ratio)[::-1]
    assert lengths(0.0) == lengths(3.0)[::-1]


def test_ranks_that_share_a_gpu_cut_evenly() -> None:
    assert lengths(None, 64, 1600) == [16] * 4
    assert lengths(2.0, 64, 1600) == [4, 8, 13, 13, 13, 13]
