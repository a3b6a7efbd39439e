"""Which GPU a rank gets, for any number of them: none is needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridge.backends.cuda import devices
from bridge.backends.gpu.driver import Facts
from bridge.errors import ArgumentError, DeviceError

FOUR = [
    Facts(k, "a GPU", f"0000:{k}1:00.0", f"GPU-{k}abc-{k}", "sm_90", 1 << 30, 132)
    for k in range(4)
]


@pytest.mark.parametrize("rank", range(9))
def test_the_given_one_counts(rank: int) -> None:
    assert devices.choose("given", rank % 4, FOUR, 77).index == rank % 4


def test_a_number_that_is_not_there_is_refused() -> None:
    with pytest.raises(ArgumentError, match="device_id: got 4, wanted 0 to 3: the rank modulo 4"):
        devices.choose("given", 4, FOUR, 0)


@pytest.mark.parametrize("rank", range(9))
def test_ranks_of_a_node_take_turns(rank: int) -> None:
    assert devices.choose("local-rank", 0, FOUR, rank).index == rank % 4


def test_the_nearest_in_turns_and_any_where_none_is_near() -> None:
    near = [frozenset({0, 1}), frozenset({0, 1}), frozenset({2, 3}), frozenset({2, 3})]
    chosen = [devices.choose("nearest", 0, FOUR, r, frozenset({3}), near).index for r in range(3)]
    assert chosen == [2, 3, 2]
    assert devices.choose("nearest", 0, FOUR, 1, frozenset({9}), near).index == 1
    assert devices.choose("nearest", 0, FOUR, 3, frozenset({3}), []).index == 3


def test_by_uuid_whole_or_its_beginning() -> None:
    assert devices.choose("GPU-2abc-2", 0, FOUR, 0).index == 2
    assert devices.choose("gpu-3a", 0, FOUR, 0).index == 3
    for policy in ("GPU-", "GPU-9", "fastest"):
        with pytest.raises(ArgumentError, match="GPU-0abc-0, GPU-1abc-1"):
            devices.choose(policy, 0, FOUR, 0)


def test_ranks_that_see_gpus_in_another_order() -> None:
    """CUDA_VISIBLE_DEVICES=0,1 on one rank and 1,0 on the other: numbers and turns count in each
    rank's own order, so both get the same GPU; a UUID and the nearest one do not."""
    seen = [[replace(FOUR[k], index=at) for at, k in enumerate(one)] for one in ([0, 1], [1, 0])]
    beside = {FOUR[0].pci: frozenset({0}), FOUR[1].pci: frozenset({1})}

    def chosen(policy: str, number: int) -> list[str]:
        return [
            devices.choose(
                policy, number * rank, mine, rank, frozenset({rank}), [beside[d.pci] for d in mine]
            ).uuid
            for rank, mine in enumerate(seen)
        ]

    first, second = FOUR[0].uuid, FOUR[1].uuid
    assert chosen("local-rank", 0) == chosen("given", 1) == [first, first]
    assert chosen("given", 0) == [first, second]
    assert chosen("nearest", 0) == [first, second]
    assert chosen(second, 0) == [second, second]
    alone = [devices.choose("local-rank", 0, [FOUR[rank]], rank).uuid for rank in range(4)]
    assert alone == [one.uuid for one in FOUR]  # one GPU for each rank


def test_no_device() -> None:
    with pytest.raises(DeviceError, match="no usable GPU"):
        devices.choose("given", 0, [], 0)


def test_the_launcher_knows_the_local_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in devices._LOCAL_RANK:
        monkeypatch.delenv(name, raising=False)
    assert devices.launcher_rank() == 0
    monkeypatch.setenv("SLURM_LOCALID", "5")
    assert devices.launcher_rank() == 5


def test_sharing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []
    monkeypatch.setattr("bridge.log.say", said.append)
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    places = [(f"node{1 + rank // 2}", FOUR[rank // 2].pci) for rank in (0, 1, 2)]
    devices.say_sharing(places)
    (tmp_path / "control").touch()
    devices.say_sharing(places)
    devices.say_sharing(places[1:])
    where = f"1 on node2 {FOUR[1].pci}"
    assert said == [
        f"ranks per GPU: 2 on node1 {FOUR[0].pci}, {where}; shared without MPS: their launches "
        "take turns",
        f"ranks per GPU: 2 on node1 {FOUR[0].pci}, {where}; shared with MPS",
        f"ranks per GPU: 1 on node1 {FOUR[0].pci}, {where}",
    ]
