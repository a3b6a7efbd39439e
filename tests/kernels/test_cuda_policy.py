"""Launch policies: their words, the rule by count, and which row of a table a plan gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kernels import cuda_cases as cases

from bridge.backends.cuda import precompile
from bridge.backends.gpu import policytable
from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.policy import (
    LOCAL,
    POLICIES,
    TENSOR,
    TILE,
    candidates,
    choose,
    named,
)
from bridge.backends.gpu.policytable import Row, Table, kind_of
from bridge.errors import ArgumentError

COMPOSITE = "eosThermalAndViscousProperties"


def test_words_are_read_back() -> None:
    for policy in (*POLICIES.values(), named("local threads=64 rows=6 points=2")):
        assert named(str(policy)) == policy
    assert str(named("tensor blocks=6")) == "tensor blocks=6"
    assert str(TENSOR) == "tensor"


@pytest.mark.parametrize(
    ("word", "wanted"),
    [("fast", "one of registers, "), ("local rows=0", "settings such as"), ("", "one of"),
     ("local unroll=1", "settings such as"), ("local rows", "settings such as")],
)  # fmt: skip
def test_a_wrong_word_is_refused(word: str, wanted: str) -> None:
    with pytest.raises(ArgumentError, match="BRIDGE_POLICY.*" + wanted):
        named(word)


def test_tensor_cores_are_for_many_species_and_fitted_integrals() -> None:
    plan = cases.plan_of(COMPOSITE, 53)
    assert choose(plan, 53, tensor=True) == TENSOR
    assert choose(plan, 53) == LOCAL
    search = cases.plan_of("prEOSCalcTFromHP", 16)
    assert candidates(search, 16, tensor=True) == [TILE]
    single = cases.CATALOGUE.single("chungMixtureDiffusionFused", 16)
    assert len(candidates(single, 16, tensor=True)) == 1


# ---- which row a plan gets ------------------------------------------------------------------


def table(rows: dict[tuple[int, str, int], str], **named_arguments: Any) -> Table:
    """{(class, kind, ns): word} as a table."""
    return Table("mine", {key: Row(named(word)) for key, word in rows.items()}, **named_arguments)


def marked(count: int) -> str:
    """A policy that shows whose row it is."""
    return f"local threads={32 * count}"


@pytest.mark.parametrize(
    ("ns", "row"),
    [(1, 2), (2, 2), (3, 4), (4, 4), (5, 4), (8, 4), (9, None), (15, None), (16, 32), (32, 32),
     (64, 32), (65, None)],
)  # fmt: skip
def test_counts_between_and_beyond(ns: int, row: int | None) -> None:
    """The next count up within a factor of two, else the next one down, else the rule by count."""
    mine = table({(9, "thermal", n): marked(n) for n in (2, 4, 32)})
    plan, layout = cases.plan_of("eosThermalProperties", ns), precompile.layout(ns)
    want = choose(plan, ns) if row is None else named(marked(row))
    assert mine.policy(plan, layout, "sm_90") == want


@pytest.mark.parametrize(
    ("arch", "served"),
    [("sm_75", 8), ("sm_80", 8), ("sm_89", 8), ("sm_90", 9), ("sm_90a", 9), ("sm_100", 9),
     ("sm_120", 12), ("sm_130", 12)],
)  # fmt: skip
def test_classes_that_are_not_listed(arch: str, served: int) -> None:
    """The nearest one below, else the nearest one above."""
    mine = table({(n, "thermal", 4): marked(n) for n in (8, 9, 12)})
    got = mine.policy(cases.plan_of("eosThermalProperties", 4), precompile.layout(4), arch)
    assert got == named(marked(served)) and mine.served(arch) == served
    assert f"class {served} for {arch}" in mine.describe(arch)
    assert [key[0] for key in mine.listed(arch)] == [served]


def test_kinds_of_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    exact, fitted = precompile.layout(6), precompile.layout(6, {"omega11": "FITTED"})

    def kind(name: str, layout: SharedLayout, *outputs: Any) -> str:
        return kind_of(cases.plan_of(name, 6, outputs or None), layout)

    assert kind("eosThermalProperties", exact) == kind("eosThermalProperties", fitted) == "thermal"
    assert kind(COMPOSITE, exact, "rho", "eta", "lambda", "status") == "transport"
    assert kind(COMPOSITE, exact) == kind("chungCalcTransProp", exact) == "exact"
    assert kind(COMPOSITE, fitted, "D_im", "status") == "fitted"
    assert kind("eosRhohFromTPprop", exact) == "thermal"


def test_what_has_no_choice_and_what_has_no_tensor_cores_go_by_count() -> None:
    rows = {(9, kind, 16): "tensor" for kind in policytable.KINDS}
    mine = table(rows)
    exact, fitted = precompile.layout(16), precompile.layout(16, {"omega11": "FITTED"})
    plan = cases.plan_of(COMPOSITE, 16)
    assert mine.policy(plan, fitted, "sm_90") == TENSOR
    for layout, arch in ((exact, "sm_90"), (fitted, "sm_75")):
        assert mine.policy(plan, layout, arch) == choose(plan, 16)
    single = cases.CATALOGUE.single("prEOSDensity", 16)
    search = cases.plan_of("prEOSCalcTFromHP", 16)
    for one in (single, search):
        assert mine.policy(one, fitted, "sm_90") == choose(one, 16, True)
    forced = table(rows, forced=LOCAL)
    assert forced.policy(search, fitted, "sm_90") == forced.of_kernels(plan, 16) == LOCAL
    assert mine.of_kernels(plan, 16) == choose(plan, 16)


def test_the_shipped_table_serves_what_it_says() -> None:
    shipped = policytable.shipped()
    assert shipped.rows and all(row.nanoseconds and row.note for row in shipped.rows.values())
    for (one, kind, ns), row in shipped.rows.items():
        options = {"omega11": "FITTED"} if kind == "fitted" else None
        name = "eosThermalProperties" if kind == "thermal" else COMPOSITE
        outputs = ("eta", "status") if kind == "transport" else None
        plan = cases.plan_of(name, ns, outputs)
        layout = precompile.layout(ns, options)
        assert kind_of(plan, layout) == kind
        assert shipped.policy(plan, layout, f"sm_{one}0") == row.policy
    assert policytable.read(_file("policies.yaml")).text() == _file("policies.yaml").read_text()


def _file(name: str) -> Path:
    from importlib import resources
    from pathlib import Path

    return Path(str(resources.files("bridge") / "data" / name))
