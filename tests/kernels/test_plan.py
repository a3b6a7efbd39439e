"""The catalogue and the planner: the right kernels, in the right order, and no others."""

from __future__ import annotations

import pytest

from bridge.errors import ArgumentError
from bridge.plan.catalogue import Catalogue
from bridge.plan.declarations import Kernel
from bridge.plan.plan import Loop, Plan, Step
from bridge.plan.selection import ALWAYS

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

SHIPPED = Catalogue.shipped()
TPY = ("T", "P", "Y")
HPY = ("h_target", "T0", "P", "Y")
OUTPUTS = sorted(
    {
        name
        for k in SHIPPED.kernels.values()
        if k.number <= 55 and k.number != 42
        for name in k.makes
    }
    - {"h_residual", "dT"}
)


def number(name: str) -> int:
    return SHIPPED.kernel(name).number


# Fused kernels stand for others: INPUT for 1, 2, 3, 14, for 9 to 13 and for 4, 5, 7;
# prEOSSpeciesAttraction for 9, 10, 15; chungViscosityConductivity for 47, 49, 50, 52;
# chungMixtureDiffusionFused for 53, 55.
EOS = [*range(16, 22)]
DERIVED = [22, *range(26, 32)]
INPUT = [*map(number, ("prEOSMixtureInput", "prEOSMixAttraction", "prEOSIdealMixtureSums"))]
# h_Yi needs h0_i, which prEOSIdealMixtureSums does not store
SPECIES = [5, number("prEOSSpeciesAttraction"), 32, 33, 34, 37]
RHOH = [*INPUT, *EOS, 22]
THERMAL = [*INPUT, *EOS, *DERIVED]
JACOBIAN = [*THERMAL, *SPECIES]
FUSED_TRANSPORT = ("chungViscosityConductivity", "chungMixtureDiffusionFused")
TRANSPORT = [44, 45, 46, 48, 51, 54, *map(number, FUSED_TRANSPORT)]
VISCOUS = [*INPUT, *SPECIES, *EOS, 43, *TRANSPORT]


def numbers(plan: Plan) -> list[int]:
    return [SHIPPED.kernel(name).number for name in plan.kernels()]


def composite_plan(name: str, ns: int = 6) -> Plan:
    composite = SHIPPED.composite(name)
    return SHIPPED.composite_plan(composite, ns)


def flat(plan: Plan) -> list[Step]:
    steps: list[Step] = []
    for item in plan.steps:
        steps.extend(item.steps if isinstance(item, Loop) else (item,))
    return steps


@pytest.mark.parametrize(
    "name, expected",
    [
        ("prEOSThermalProperties", THERMAL),
        ("eosThermalProperties", THERMAL),
        ("prEOSRhohFromTPprop", RHOH),
        ("eosCalcRhoh0FromTP", [*RHOH, 39]),
        ("prEOSGammaJacobianProperties", JACOBIAN),
        ("eosGammaJacobianProperties", [*JACOBIAN, 39, 40]),
        ("prEOSViscousProperties", VISCOUS),
        ("prEOSViscousFluxProperties", VISCOUS),
        ("chungCalcTransProp", TRANSPORT),
        ("eosThermalAndViscousProperties", {*JACOBIAN, *VISCOUS}),
    ],
)
def test_composite_runs_its_kernels_and_no_others(name: str, expected: list[int]) -> None:
    assert sorted(numbers(composite_plan(name))) == sorted(expected)


def check_order_and_need(plan: Plan) -> None:
    """Every slot is read after it is written, and every kernel is there for a reason."""
    steps = flat(plan)
    written = set(plan.inputs.values()) | {i for i, s in enumerate(plan.slots) if s.zero}
    for step in steps:
        kernel = SHIPPED.kernel(step.kernel)
        reads = step.slots[: len(kernel.inputs)]
        assert written.issuperset(reads), f"{step.kernel} reads what nothing has written"
        written.update(step.slots[len(kernel.inputs) :])
    assert written.issuperset(plan.outputs.values())
    for place, step in enumerate(steps):
        kernel = SHIPPED.kernel(step.kernel)
        writes = set(step.slots[len(kernel.inputs) :])
        used = set(plan.outputs.values())
        used.update(
            slot
            for later in steps[place + 1 :]
            for slot in later.slots[: len(SHIPPED.kernel(later.kernel).inputs)]
        )
        assert step.kernel in ALWAYS or writes & used, f"{step.kernel} runs for nothing"


def runs(plan: Plan, name: str) -> bool:
    """Whether a kernel runs, by itself or inside a fused one."""
    return any(name in (k.name, *k.fuses) for k in map(SHIPPED.kernel, plan.kernels()))


@settings(max_examples=150)
@given(
    wanted=st.lists(st.sampled_from(OUTPUTS), min_size=1, max_size=5, unique=True),
    inputs=st.sampled_from([TPY, HPY, ("T", "P", "Y_leading"), (*HPY, "velocity", "Vref")]),
)
def test_any_outputs(wanted: list[str], inputs: tuple[str, ...]) -> None:
    given_names = (*inputs, "velocity", "Vref")
    plan = SHIPPED.plan([*wanted, "status"], given_names, 4)
    check_order_and_need(plan)
    assert list(plan.outputs) == [*dict.fromkeys([*wanted, "status"])]
    assert all(runs(plan, name) for name in ALWAYS)
    if "h_target" not in inputs:
        assert len(plan.kernels()) == len(set(plan.kernels())), "a kernel runs twice"


def test_rewritten_inputs_get_new_slots() -> None:
    plan = composite_plan("eosThermalProperties")
    for name in ("T", "P"):
        readers = [s.kernel for s in flat(plan) if plan.inputs[name] in s.slots]
        assert readers == ["prEOSMixtureInput"], f"{readers} read the unchecked {name}"
    words = [i for i, slot in enumerate(plan.slots) if slot.name == "status"]
    assert len(words) == 5 and plan.outputs["status"] == words[-1]


def test_single_output_needs_only_its_chain_without_status() -> None:
    plan = SHIPPED.plan(["W"], TPY, 3, status=False)
    assert numbers(plan) == [2, 3]
    assert [slot.name for slot in plan.slots if slot.zero] == ["status"]
    assert numbers(SHIPPED.plan(["b"], ["X"], 3)) == [14]


@settings(max_examples=150)
@given(
    wanted=st.lists(st.sampled_from(OUTPUTS), min_size=1, max_size=5, unique=True),
    inputs=st.sampled_from([TPY, HPY, ("T", "P", "Y_leading")]),
)
def test_what_makes_a_quantity_does_not_depend_on_what_else_is_wanted(
    wanted: list[str], inputs: tuple[str, ...]
) -> None:
    def values(outputs: list[str]) -> dict[str, object]:
        """What each output comes from: a kernel and what its inputs come from, and so on. The
        status word is left out: which bits it has so far depends on the order of kernels."""
        plan = SHIPPED.plan([*outputs, "status"], (*inputs, "velocity", "Vref"), 4)
        origins: dict[int, object] = {slot: name for name, slot in plan.inputs.items()}
        for step in flat(plan):
            reads = len(SHIPPED.kernel(step.kernel).inputs)
            read = tuple(origins.get(slot) for slot in step.slots[:reads])
            for place, slot in enumerate(step.slots[reads:]):
                if plan.slots[slot].name != "status":
                    origins[slot] = hash((step.kernel, place, read))
        return {name: origins.get(plan.outputs[name]) for name in outputs}

    together = values(wanted)
    for name in wanted:
        assert values([name])[name] == together[name], name


def test_fused_kernel_and_beside_it_what_its_insides_need() -> None:
    assert "chungMixtureDiffusionFused" in SHIPPED.plan(["D_im"], TPY, 3).kernels()
    both = SHIPPED.plan(["D_im", "D0_ij"], TPY, 3).kernels()
    assert {"chungMixtureDiffusionFused", "chungBinaryDiffusion"} <= set(both)
    assert "chungMixtureDiffusion" not in both
    given = SHIPPED.plan(["D_im"], ["X", "W", "T", "P", "D0_ij", "takahashi"], 3)
    assert given.kernels() == ["chungMixtureDiffusion"]
    inside = set(SHIPPED.plan(["h", "G_i"], TPY, 3).kernels())
    assert {"prEOSMixAttraction", "prEOSCrossSums"} <= inside and "prEOSMixA" not in inside


def test_fused_input_check_beside_its_parts_but_not_around_a_search() -> None:
    names = {"prEOSCheckInput", "prEOSCleanMassFractions", "prEOSMixtureInput"}
    assert names & set(SHIPPED.plan(["rho"], TPY, 3).kernels()) == {"prEOSMixtureInput"}
    both = names & set(SHIPPED.plan(["rho", "Yc"], TPY, 3).kernels())
    assert both == {"prEOSMixtureInput", "prEOSCleanMassFractions"}
    searched = SHIPPED.plan(["T", "rho", "status"], HPY, 3).kernels()
    assert "prEOSMixtureInput" not in searched and "prEOSMixAttraction" in searched
    # nobody asked for a check: none is fused into what makes W either, whatever is wanted beside
    unchecked = SHIPPED.plan(["W", "b", "v"], (*TPY, "Z_pr"), 3, status=False).kernels()
    assert not names - {"prEOSCleanMassFractions"} & set(unchecked)


@pytest.mark.parametrize("name", SHIPPED.composites)
def test_values_per_species_are_made_just_before_they_are_read(name: str) -> None:
    """Between such a kernel and its first reader stand others of its kind at most."""
    kernels = [SHIPPED.kernel(kernel) for kernel in composite_plan(name).kernels()]
    for place, kernel in enumerate(kernels):
        later = kernels[place + 1 :]
        readers = [i for i, k in enumerate(later) if not {*kernel.makes}.isdisjoint(k.inputs)]
        if readers and wide(kernel):
            assert all(map(wide, later[: readers[0]])), f"{kernel.name} runs too early"


def wide(kernel: Kernel) -> bool:
    return all(SHIPPED.quantities[name].columns != "1" for name in kernel.outputs)


def test_leading_mass_fractions_are_completed_first() -> None:
    plan = SHIPPED.plan(["rho"], ("T", "P", "Y_leading"), 5)
    assert plan.kernels()[:2] == ["completeMassFractions", "prEOSMixtureInput"]
    assert plan.slots[plan.inputs["Y_leading"]].columns == 4


def test_given_quantities_are_not_recomputed() -> None:
    composite = SHIPPED.composite("chungCalcTransProp")
    inputs = [name for name in composite.inputs if name != "status"]
    plan = SHIPPED.plan(composite.outputs, inputs, 6)
    assert min(numbers(plan)) == 44
    assert [slot.name for slot in plan.slots if slot.zero] == ["status"]
    started = composite_plan("chungCalcTransProp")
    assert not [slot for slot in started.slots if slot.zero] and "status" in started.inputs


def test_an_output_that_is_given_comes_back_as_given() -> None:
    plan = SHIPPED.plan(["T", "rho", "status"], TPY, 2)
    assert plan.outputs["T"] == plan.inputs["T"]


def test_temperature_from_enthalpy() -> None:
    plan = SHIPPED.plan(["T", "rho", "c", "iterations", "status"], HPY, 6)
    kinds = [type(item) for item in plan.steps]
    assert kinds.count(Loop) == 1
    where = kinds.index(Loop)
    loop = plan.steps[where]
    assert isinstance(loop, Loop) and loop.limit == 80
    assert plan.slots[loop.done].name == "done"
    before = [s.kernel for s in plan.steps[:where] if isinstance(s, Step)]
    after = [s.kernel for s in plan.steps[where + 1 :] if isinstance(s, Step)]
    assert before[:2] == ["prEOSNewtonStart", "prEOSCheckInput"]
    assert {"prEOSMoleFractions", "prEOSMixB"} <= set(before) and not {
        "prEOSMoleFractions",
        "prEOSMixB",
    } & set(after)
    assert after[0] == "prEOSCheckInput" and after[-1] == "mergeStatus"
    assert [s.kernel for s in loop.steps[-2:]] == ["prEOSEnthalpyResidual", "prEOSNewtonUpdate"]

    state = loop.steps[-1].slots
    rewritten = SHIPPED.kernel("prEOSNewtonUpdate").rewrites
    assert len(set(state[-len(rewritten) :]) - set(state[: -len(rewritten)])) == 0
    # the loop works at the T of the search, its P is the checked one, and only T moves in it
    check = plan.steps[1]
    assert isinstance(check, Step)
    searched, _, _, _, thrown_away, poisoned_p = check.slots
    reads = [slot for step in loop.steps for slot in step.slots]
    assert searched in reads and poisoned_p in reads
    assert thrown_away not in reads and plan.inputs["P"] not in reads
    moving = {searched}
    for step in loop.steps:
        assert moving & set(step.slots), f"{step.kernel} does not depend on T: not for the loop"
        moving.update(step.slots[len(SHIPPED.kernel(step.kernel).inputs) :])
    # the last check sees the caller's P, and the T that comes out is the checked one
    last_check = plan.steps[where + 1]
    assert isinstance(last_check, Step)
    assert last_check.slots[:2] == (searched, plan.inputs["P"])
    assert plan.outputs["T"] == last_check.slots[4]
    check_order_and_need(plan)


def test_columns() -> None:
    expected = {"T": 1, "Y": 5, "Y_leading": 4, "D0_ij": 15, "E": 10, "B_chung": 7, "velocity": 3}
    assert {name: SHIPPED.columns(name, 5) for name in expected} == expected


def test_plans_are_kept() -> None:
    assert SHIPPED.plan(["rho"], TPY, 3) is SHIPPED.plan(("rho",), list(TPY), 3)
    assert SHIPPED.plan(["rho"], TPY, 3) is not SHIPPED.plan(["rho"], TPY, 4)
    assert SHIPPED.single("prEOSGibbs", 3) is SHIPPED.single("prEOSGibbs", 3)


def test_single_kernel() -> None:
    plan = SHIPPED.single("prEOSCheckInput", 3)
    assert plan.kernels() == ["prEOSCheckInput"]
    assert list(plan.inputs) == ["T", "P", "Y"] and list(plan.outputs) == ["status", "T", "P"]
    assert not set(plan.inputs.values()) & set(plan.outputs.values())


def test_names() -> None:
    assert SHIPPED.composite("eosthermalproperties").name == "eosThermalProperties"
    assert SHIPPED.composite("eosThermalProperties").entry == "eosthermalproperties"
    with pytest.raises(ArgumentError, match="such as eosThermalProperties"):
        SHIPPED.composite("EosThermalProperties")
    with pytest.raises(ArgumentError, match="such as .*prEOSGibbs"):
        SHIPPED.kernel("preosgibbs")
    with pytest.raises(ArgumentError, match="'rhoo'.*such as .*rho"):
        SHIPPED.plan(["rhoo"], TPY, 2)
    with pytest.raises(ArgumentError, match="inputs.*'Yj'"):
        SHIPPED.plan(["rho"], ("T", "P", "Yj"), 2)


@pytest.mark.parametrize(
    "wanted, inputs, missing",
    [
        ("r_p", TPY, "also velocity, Vref"),
        ("rho", ("T", "P"), "also Y$"),
        ("eta", (), "also .*T"),
        ("T", ("P", "Y"), "also T$"),
        ("T", ("h_target", "P", "Y"), "also T0"),
    ],
)
def test_what_cannot_be_made_says_what_is_missing(
    wanted: str, inputs: tuple[str, ...], missing: str
) -> None:
    with pytest.raises(ArgumentError, match=missing):
        SHIPPED.plan([wanted], inputs, 2)
