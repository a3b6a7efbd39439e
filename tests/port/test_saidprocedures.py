"""`--procedure`: which procedures arguments and components stand for, and which do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case

from bridge.errors import ArgumentError
from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.options import kept, parsed
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.request import Request, of_words
from bridge_port.translate.translate import translate

SOURCE = Path(__file__).parent / "constructs" / "procedures.f90"
TYPES = {"search": {"me": "tuned"}}
#: What is said of procedures that translate; several of some.
SAID: dict[str, dict[str, str]] = {
    "search": {"me%f": "poly"},
    "both": {"a%f": "square", "b%f": "cube", "a%g": "scaled", "b%g": "added"},
    "within": {"b%one%f": "square", "b%two%f": "cube"},
    "copies": {"a%f": "square", "b%f": "square"},
    "newton": {"f": "square"},
    "maybe_given": {"f": "cube"},
    "handed_on": {"f": "cube"},
    "by_names": {"f": "same"},
    "outside": {"f": "plus", "g": "times"},
    "old": {"f": "product_of"},
    "passes_same": {},
    "passes_swapped": {},
}
NOT_GIVEN = ("maybe_given", "handed_on")


@pytest.fixture(scope="module")
def program() -> Program:
    return Program([SOURCE])


def kernel(program: Program, procedure: str, prefix: str = "k_", **said: str) -> Kernel:
    unit = program.find(procedure)
    given = {name.replace("__", "%"): program.find(one) for name, one in said.items()}
    return translate(
        program,
        PointProcedure(procedure, unit, unit.place),
        Choices(prefix=prefix, types=TYPES.get(procedure, {})),
        procedures=given,
    )


def case(program: Program, name: str, said: dict[str, str], prefix: str) -> Case:
    made = kernel(program, name, prefix, **{k.replace("%", "__"): v for k, v in said.items()})
    return Case(program.find(name), made, program, types=TYPES.get(name, {}),
                procedures={k: program.find(v) for k, v in said.items()})  # fmt: skip


@pytest.mark.fortran
def test_kernels_against_the_original(program: Program, tmp_path: Path) -> None:
    cases = [case(program, name, said, "k_") for name, said in SAID.items()]
    cases += [case(program, name, {}, "n_") for name in NOT_GIVEN]
    cases.append(case(program, "by_names", {"f": "swapped"}, "s_"))  # other names, by their places
    bench = Bench(tmp_path, [SOURCE], cases, machines=("lanes", "scalar"))
    found = {one.kernel.name: bench.differences(one, points=103)[:2] for one in cases}
    assert {name: differences for name, differences in found.items() if differences} == {}


def test_each_object_has_its_own(program: Program) -> None:
    text = kernel(program, "both", a__f="square", b__f="cube", a__g="scaled", b__g="added").text
    order = [text.rindex(name) for name in ("square(", "cube(", "scaled(", "added(")]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("name", "said", "why"),
    [
        ("newton", {"f": "not_pure"}, "it has to be pure, and not_pure is not"),
        ("newton", {"f": "of_each"}, "of_each is elemental"),
        ("newton", {"f": "short"}, "short of short: real\\(4\\), real\\(8\\) is wanted"),
        ("newton", {"f": "whole"}, "z of whole: integer\\(4\\), real\\(8\\) is wanted"),
        ("newton", {"f": "of_array"}, "z of of_array: its shape is declared in another way"),
        ("newton", {"f": "maybe"}, "z of maybe: it is optional, or has to be"),
        ("newton", {"f": "two"}, "two has 2 arguments, 1 are wanted"),
        ("newton", {"f": "changes"}, "changes is a subroutine, a function is wanted"),
        ("newton", {"f": "inside"}, "inside stands inside has_inside"),
        ("newton", {"x": "square"}, "newton has no argument of this name that is a procedure"),
        ("newton", {"newton%f": "square"}, "newton has no argument with such a procedure comp"),
        ("both", {"a%h": "square"}, "both has no argument with such a procedure component"),
        ("both", {"a%g": "of_box"}, "this of of_box: type\\(box\\), type\\(rule\\) is wanted"),
        ("both", {"a%g": "changes"}, "changes has 1 arguments, 2 are wanted"),
        ("outside", {"g": "times_open"}, "b of times_open: its shape is declared in another way"),
        ("old", {"f": "real_second"}, "k of real_second: integer\\(4\\) is passed"),
        ("old", {"f": "short_result"}, "short_result gives real\\(4\\), real\\(8\\) is wanted"),
        ("old", {"f": "plus"}, "plus has 1 arguments, 2 are given"),
        ("old", {"f": "maybe"}, "z of maybe asks for an interface, and old has none"),
        ("old", {"f": "times"}, "times is a subroutine, a function is called"),
        ("begins", {"a%f": "cube"}, "f points to square in an object that is new"),
        ("sets", {"a%f": "square"}, "a pointer assignment"),
        ("fresh", {"a%f": "square"}, "a is intent\\(out\\): the component points to nothing"),
        ("copies", {"a%f": "square", "b%f": "cube"}, "or with other procedures in them"),
        ("copies", {"a%f": "square"}, "or with other procedures in them"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    program: Program, name: str, said: dict[str, str], why: str
) -> None:
    with pytest.raises(Refused, match=why) as refused:
        kernel(program, name, **{k.replace("%", "__"): v for k, v in said.items()})
    assert refused.value.refusal.place.line > 0


def test_a_refusal_says_what_to_say(program: Program) -> None:
    with pytest.raises(Refused, match="--procedure f=NAME"):
        kernel(program, "newton")
    with pytest.raises(Refused, match="--procedure me%f=NAME"):
        kernel(program, "search")
    with pytest.raises(Refused, match="--procedure b%g=NAME"):
        kernel(program, "both", a__f="square", b__f="cube", a__g="scaled")
    with pytest.raises(Refused, match="--procedure b%two%f=NAME"):
        kernel(program, "within", b__one__f="square")


def test_an_optional_one_is_taken_as_not_given(program: Program) -> None:
    note = "f, an optional procedure, is taken as not given; --procedure f=NAME says it"
    assert note in kernel(program, "maybe_given").notes
    assert note not in kernel(program, "maybe_given", f="cube").notes


def test_the_command_finds_them(tmp_path: Path) -> None:
    user = tmp_path / "user.f90"
    user.write_text(
        "module mine\ncontains\npure real(8) function half(z)\nreal(8), intent(in) :: z\n"
        "half = z/2\nend function\nend module\n"
    )
    words = [f"{SOURCE}::newton", "--procedure", "f=user.f90::half"]
    request = of_words(words, tmp_path)
    assert request.procedures == {"f": f"{user}::half"}
    assert "half" in request.ported().kernels[0].text
    assert kept(parsed(words, tmp_path), tmp_path)[1:] == words[1:]
    assert Request(f"{SOURCE}::newton", procedures={"f": "pointed::cube"}).ported().kernels
    with pytest.raises(Refused, match="there is no such program unit"):
        Request(f"{SOURCE}::newton", procedures={"f": "cubes"}).ported()
    with pytest.raises(ArgumentError, match="pointed is a module"):
        Request(f"{SOURCE}::newton", procedures={"f": "pointed"}).ported()
    with pytest.raises(ArgumentError, match="a loop nest has no arguments"):
        Request(f"{SOURCE}:33-37", procedures={"f": "cube"}).ported()
