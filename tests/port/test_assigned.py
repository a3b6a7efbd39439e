"""What a call does to variables of modules, as what is found for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.keeping import ALL
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "checked" / "assigned.f90"
OUT, INOUT = "--as-output", "--as-inout"
#: For procedures of a class.
TYPES = {"either_law": {"law": "far_t"}, "touching": {"law": "near_t"}}
FOUND = {
    "without_else": {"v": INOUT},
    "with_else": {"v": OUT},
    "without_default": {"v": INOUT},
    "with_default": {"v": OUT},
    "most_elements": {"list": INOUT},
    "all_elements": {"list": OUT},
    "every_second": {"list": INOUT},
    "one_element": {"list": INOUT},
    "left_by_exit": {"v": INOUT},
    "read_by_a_call": {"v": INOUT},
    "passed_to_be_read": {"v": INOUT},
    "passed_to_be_written": {"v": OUT},
    "subscript": {"list": OUT, "at": INOUT},
    "in_a_statement_function": {"v": INOUT},
    "scratch": {"own": "--private", "hidden": OUT, "w": OUT},
    "either_law": {"v": OUT, "w": INOUT},
    # What gets an object may read any component of it.
    "whole_object": {"pair%a": INOUT, "pair%b": INOUT},
}


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, name: str, **outside: str) -> Kernel:
    unit = program.find(name)
    point = PointProcedure(unit.name, unit, unit.place)
    return translate(
        program, point, Choices(outside=outside or {ALL: ""}, types=TYPES.get(name, {}))
    )


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(program: Program, name: str) -> None:
    assert kernel(program, name).outside == FOUND[name]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("below", "it changes v, which stands elsewhere"),
        ("below_as_argument", "it changes v, which stands elsewhere"),
        ("remembers", "saved variable before"),
        ("marks", "pointer curve: mark is a target and is written"),
        ("counting", "it changes at, which stands elsewhere"),
    ],
)
def test_what_is_refused(program: Program, name: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        kernel(program, name)


def test_two_variables_of_one_name(program: Program) -> None:
    with pytest.raises(Refused, match="module assigning and module assigned_too have one"):
        kernel(program, "two_of_a_name", v="out")


def test_an_argument_may_have_the_name(program: Program) -> None:
    found = kernel(program, "name_is_taken", v="out")
    assert [q.name for q in found.outputs] == ["v", "assigning_v"]


def test_what_is_intent_in_is_no_output(program: Program) -> None:
    found = kernel(program, "touching", w="inout")
    assert {q.argument for q in found.inputs} == {"one%a", "w"}
    assert [q.argument for q in found.outputs] == ["w"]
