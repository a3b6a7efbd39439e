"""Logical lines: forms, continuation, includes, comments, the preprocessor."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_port.source.lines import Line, read
from bridge_port.source.physical import whole_directives

Of = Callable[..., list[Line]]


@pytest.fixture
def lines(tmp_path: Path) -> Of:
    """Of a text, in a file of some name."""

    def of(text: str | bytes, name: str = "a.f90", **how: Any) -> list[Line]:
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(data)
        return read(path, **how)

    return of


def texts(found: list[Line]) -> list[str]:
    return [line.text for line in found]


def test_free_form_joins_lines(lines: Of) -> None:
    found = lines("x = 1 + & ! one\n\n  ! two\n   & 2\nCALL Long&\n  &Name('A&\n   &B', c)\n")
    assert texts(found) == ["x = 1 +  2", "call longname('AB', c)"]
    assert found[0].comments == ("! one", "  ! two")
    assert (found[0].place.line, found[0].place.last) == (1, 4)
    assert (found[1].place.line, found[1].place.last) == (5, 7)


def test_a_line_without_leading_ampersand_begins_a_new_token(lines: Of) -> None:
    assert texts(lines("x = a + &\nb\n")) == ["x = a +  b"]


def test_an_ampersand_alone_continues(lines: Of) -> None:
    assert texts(lines("x = 1 + &\n  & ! nothing\n  2\ny = 3\n")) == ["x = 1 +  2", "y = 3"]


def test_comments_and_empty_lines_stand_between_the_lines_of_a_string(lines: Of) -> None:
    text = "c = 'ab&\n  ! one &\n\n! it's\n  &cd'\n"
    assert texts(lines(text)) == ["c = 'abcd'"]


def test_strings_keep_case_semicolons_and_exclamation_marks(lines: Of) -> None:
    found = lines('A = \'It\'\'s ; ! X\' ; B = "! ""Y""" ! Z\n')
    assert texts(found) == ["a = 'It''s ; ! X'", 'b = "! ""Y"""']
    assert found[0].comments == ("! Z",)


def test_comments_and_directives_stay_with_the_statement_that_follows(lines: Of) -> None:
    found = lines("! first\n!$omp parallel do\n!$acc loop\ndo i = 1, n ! points\nend do\n! last\n")
    assert found[0].comments == ("! first", "!$omp parallel do", "!$acc loop", "! points")
    assert found[-1] == Line(found[-1].place, "", "", ("! last",), False)


def test_labels(lines: Of) -> None:
    found = lines("10 continue\n0020 x = 1; y = 2\n")
    assert [(line.label, line.text) for line in found] == [
        ("10", "continue"), ("20", "x = 1"), ("", "y = 2"),
    ]  # fmt: skip


def test_fixed_form_columns(lines: Of) -> None:
    text = (
        "C comment\n"
        "      X = 1.0                                                           SEQUENCE\n"
        "c$omp directive\n"
        "     +    + 2.0 ! behind\n"
        "* another\n"
        "     &    + 3.0\n"
        "  10  CONTINUE\n"
        "     0Y = 2\n"
    )
    found = lines(text, "a.f")
    assert [" ".join(line.text.split()) for line in found] == [
        "x = 1.0 + 2.0 + 3.0", "continue", "y = 2",
    ]  # fmt: skip
    assert found[1].label == "10"
    assert found[0].comments == ("C comment", "c$omp directive", "! behind", "* another")
    assert (found[0].place.line, found[0].place.last) == (2, 6)


def test_marks_of_comments_in_column_6(lines: Of) -> None:
    text = "      X = 1\n  !  ! a comment\n     ! + 2\n    ! ! one more\n     &  + 3\n"
    assert [" ".join(line.text.split()) for line in lines(text, "a.f")] == ["x = 1 + 2 + 3"]


def test_a_hash_in_column_6_of_fixed_form_continues(lines: Of) -> None:
    """Also where lines of the preprocessor stand beside it."""
    text = "      X = 3.14\n     #159\n     #ELSE\n"
    assert texts(lines(text, "a.f")) == ["x = 3.14159else"]
    text = "#ifdef A\n      Y = 1\n#else\n" + text + "#endif\n #  if 0\n      Z = 1\n#endif\n"
    for name in ("a.f", "a.F"):
        assert texts(lines(text, name)) == ["x = 3.14159else"]
    assert texts(lines("x = 1\n     #if 0\ny = 1\n#endif\n", "a.F90")) == ["x = 1"]


def test_tokens_of_fixed_form_go_over_lines(lines: Of) -> None:
    found = lines("      CALL VERYLO\n     &NG(X)\n", "a.f")
    assert found[0].text == "call verylong(x)"


def test_a_string_of_fixed_form_is_padded_to_the_last_column(lines: Of) -> None:
    found = lines("      X = 'ab\n     &c'\n", "a.f")
    assert found[0].text == "x = 'ab" + " " * (72 - 13) + "c'"
    assert lines("      X = 'ab\n     &c'\n", "a.f", width=80)[0].text == (
        "x = 'ab" + " " * (80 - 13) + "c'"
    )


def test_width_of_fixed_form(lines: Of) -> None:
    text = "      X = 1" + " " * 61 + "+ 2\n"
    assert lines(text, "a.f")[0].text == "x = 1"
    assert lines(text, "a.f", width=132)[0].text.endswith("+ 2")
    assert lines(text, "a.f", width=0)[0].text.endswith("+ 2")


def test_tabs_of_fixed_form(lines: Of) -> None:
    found = lines("10\tX = 1\n\t1 + 2\n\tY = 3\n", "a.f")
    assert [(line.label, line.text) for line in found] == [("10", "x = 1 + 2"), ("", "y = 3")]


def test_hollerith_constants_become_strings(lines: Of) -> None:
    assert lines("      DATA A /4HDON'/, B /2H! /\n", "a.f")[0].text == (
        "data a /'DON'''/, b /'! '/"
    )
    found = lines("      IF (A.EQ.2HNO.OR.HALF.GT.1.5) H = 3 H\n", "a.f")
    assert found[0].text == "if (a.eq.'NO'.or.half.gt.1.5) h = 3 h"


def test_the_form_is_told_by_suffix_and_text(lines: Of) -> None:
    assert lines("      X = 1\n     &+2\n", "a.for")[0].text == "x = 1+2"
    assert not lines("module a\nend module\n", "free.f")[0].fixed
    assert lines("c text\n      x = 1\n", "a.inc")[0].fixed
    assert not lines("      x = 1 &\n     +2\n", "a.f90")[0].fixed
    assert lines("      x = 1\n", "a.f90", fixed=True)[0].fixed


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", b"x = 1 ! gr\xfc\xdfe\ny = 2\n", b"x = 1\ry = 2\r"],
    ids=["utf-8 with mark, CRLF", "latin-1", "CR"],
)
def test_bytes(lines: Of, data: bytes) -> None:
    assert texts(lines(data)) == ["x = 1", "y = 2"]


def test_include_is_read_in_its_place(lines: Of, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "two.inc").write_text("y = 2\n")
    (tmp_path / "one.inc").write_text("x = 1\ninclude 'two.inc'\n")
    text = "a = 0\nINCLUDE 'one.inc' ! here\ninclude 'none.inc'\nb = 3\n"
    found = lines(text, folders=(tmp_path / "deep",))
    assert texts(found) == ["a = 0", "x = 1", "y = 2", "include 'none.inc'", "b = 3"]
    assert [line.place.file.rsplit("/")[-1] for line in found[1:3]] == ["one.inc", "two.inc"]
    assert found[1].place.line == 1
    assert found[4].place.line == 4


def test_include_of_itself_ends(lines: Of) -> None:
    assert texts(lines("include 'a.f90'\nx = 1\n")) == ["include 'a.f90'", "x = 1"]


PREPROCESSED = """\
#define WIDE
#ifdef WIDE
real(8) :: x
#else
real(4) :: x
#endif
#if defined(GPU) && (LEVEL >= 2)
call gpu()
#elif !defined NONE || 0
call cpu()
#else
call none()
#endif
#ifndef __GFORTRAN__
call other()
#endif
#if 0
#if 1
call never()
#else
call never()
#endif
#endif
"""


def test_preprocessor_arms(lines: Of) -> None:
    assert texts(lines(PREPROCESSED, "a.F90")) == ["real(8) :: x", "call cpu()"]
    found = lines(PREPROCESSED, "a.F90", defines=("GPU", "LEVEL=2"))
    assert texts(found) == ["real(8) :: x", "call gpu()"]
    assert found[1].place.line == 8
    assert texts(lines(PREPROCESSED, "a.F90", defines=("-DNONE", "-DGPU", "-DLEVEL=1"))) == [
        "real(8) :: x", "call none()",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("-7/2 == -3 && -7 % 2 == -1 && 7/-2 == -3 && 7/2 == 3", True),
        ("1 < 2 || 0", True), ("2 > 3 || 1 - 1", False), ("!(A && 0) && 2*3 - 1 == 5", True),
        ("010 == 8 && 10 == 0xA && 0 == 00", True), ("defined __GNUC__ && _LP64", True),
        ("(6 & 3) == 2 && (6 ^ 3) == 5 && (6 | 3) == 7", True),
    ],
)  # fmt: skip
def test_conditions_of_the_preprocessor(lines: Of, condition: str, holds: bool) -> None:
    found = texts(lines(f"#if {condition}\nx = 1\n#endif\n", "a.F90"))
    assert found == (["x = 1"] if holds else [])


def test_arms_and_macros_in_their_order(lines: Of) -> None:
    text = "#if 1\na = 1\n#elif 1\na = 2\n#endif\n#define F(x, y) x - y\nb = F(3, 4)\n"
    assert texts(lines(text, "a.F90")) == ["a = 1", "b = 3 - 4"]
    for undefined in ("#undef N", "#undef N ! no more", "#undef N /* no more */"):
        text = f"#define N\n{undefined}\n#ifdef N\na = 1\n#endif\nb = 2\n"
        assert texts(lines(text, "a.F90")) == ["b = 2"]


def test_macros_are_put_in_outside_strings(lines: Of) -> None:
    text = "#define RK real(8)\n#define SQ(a) ((a)*(a))\nRK :: x\nx = SQ(y + 1)\nc = 'RK'\n"
    assert texts(lines(text, "a.F90")) == ["real(8) :: x", "x = ((y + 1)*(y + 1))", "c = 'RK'"]
    assert texts(lines("x = N\n", "a.F90", defines=("N=3",))) == ["x = 3"]
    # A file of lower case suffix and without lines of the preprocessor is not preprocessed.
    assert texts(lines("x = N\n", "a.f90", defines=("N=3",))) == ["x = n"]


def test_macros_say_where_a_line_stands(lines: Of, tmp_path: Path) -> None:
    text = "#define AT __FILE__, __LINE__\n\nc = '__LINE__'\ncall f(AT, &\n  __LINE__)\n"
    path = tmp_path / "a.F90"
    wanted = ["c = '__LINE__'", f'call f("{path}", 4,  5)']
    assert texts(lines(text, "a.F90")) == wanted
    preprocessed = subprocess.run(
        ["gfortran", "-E", "-P", str(path)], capture_output=True, text=True, check=True
    ).stdout
    assert texts(lines(preprocessed, "b.f90")) == wanted
    assert texts(lines("#ifdef __FILE__\nx = 1\n#endif\n", "a.F90")) == ["x = 1"]
    # Of the file that is included; without a macro; not where nothing is preprocessed.
    (tmp_path / "x.h").write_text("\nn = __LINE__\nf = __FILE__\n")
    here = f'f = "{tmp_path / "x.h"}"'
    assert texts(lines('#include "x.h"\nm = __LINE__\n', "a.F90")) == ["n = 2", here, "m = 2"]
    assert texts(lines("x = 1\nm = __LINE__\n", "a.F90")) == ["x = 1", "m = 2"]
    assert texts(lines("m = __LINE__\n", "a.f90")) == ["m = __line__"]


def test_preprocessor_in_the_middle_of_a_statement(lines: Of) -> None:
    assert texts(lines("x = 1 &\n#ifdef A\n + 2 &\n#endif\n + 3\n", "a.F90")) == ["x = 1  + 3"]
    assert (
        "+ 2" in lines("x = 1 &\n#ifdef A\n + 2 &\n#endif\n + 3\n", "a.F90", defines="A")[0].text
    )


def test_lines_of_the_preprocessor_that_are_not_understood_stay(lines: Of) -> None:
    assert texts(lines('#include "none.h"\n#error no\nx = 1\n', "a.F90")) == [
        '#include "none.h"', "#error no", "x = 1",
    ]  # fmt: skip
    assert texts(lines("#if f(1)\nx = 1\n#endif\ny = 2\n", "a.F90")) == ["#if f(1)", "y = 2"]
    # The version of a compiler is not known here, nor what is shifted.
    for condition in ("__GNUC__ > 4", "1 << 2"):
        text = f"#if {condition}\nx = 1\n#endif\n"
        assert texts(lines(text, "a.F90")) == [f"#if {condition}"]
    # Lines of another preprocessor, between what is nothing to a compiler.
    of_another = "#\n# 3 'b.F90' 2\n#! said\n#:if debug\nx = 1\n#:endif\n#{k}# = 2\n"
    assert texts(lines(of_another, "a.f90")) == ["#:if debug", "x = 1", "#:endif", "#{k}# = 2"]


def test_an_include_of_the_preprocessor_shares_its_macros(lines: Of, tmp_path: Path) -> None:
    (tmp_path / "defs.h").write_text("#define RK real(8)\n")
    assert texts(lines('#include "defs.h"\nRK x\n', "a.F90")) == ["real(8) x"]


def test_the_preprocessor_does_not_see_what_fortran_includes(lines: Of, tmp_path: Path) -> None:
    """As gfortran does it: the include lines of Fortran are read when macros are gone."""
    (tmp_path / "body.inc").write_text("x = n\ninclude 'more.inc'\n")
    (tmp_path / "more.inc").write_text("y = n\n#ifdef n\ny = 2\n#endif\n")
    text = "#define n 3\ninclude 'body.inc'\nz = n\n"
    wanted = ["x = n", "y = n", "#ifdef n", "y = 2", "#endif", "z = 3"]
    assert texts(lines(text, "a.F90")) == wanted


C_COMMENTS = """/* a comment,
 of a file */
      x = 1 /* one */ + 2
C don't /* begin here
      y = 'a /* b' /* over
 lines */ // "c"
C it */ is none
! /* one of C in
      no = 0
* one of Fortran */
#define A 3 /* of a
 macro */
      z = A // 'it''s /* text'
#ifdef A /* that is known */
      s = 'open /*
     & string */'
#endif
      t = '\\'/* kept */'
"""


def test_comments_of_c_are_gone(lines: Of, tmp_path: Path) -> None:
    found = texts(lines(C_COMMENTS, "a.F"))
    preprocessed = subprocess.run(
        ["gfortran", "-E", "-P", str(tmp_path / "a.F")], capture_output=True, text=True, check=True
    ).stdout
    assert found == texts(lines(preprocessed, "b.f"))
    assert len(found) == 5
    # In a file that is included as well; where nothing is preprocessed they are text.
    (tmp_path / "x.h").write_text("/* nothing\n here */\n")
    assert texts(lines('#include "x.h"\n      m = 1\n', "a.F")) == ["m = 1"]
    assert texts(lines("m = 1 /* one\n", "a.f90")) == ["m = 1 /* one"]
    # One that has no end is an error there.
    assert texts(lines("m = 1\nn = 2 /* one\nk = 3\n", "a.F90")) == [
        "m = 1", "n = 2", "#: a comment /* without */",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        ("a.f90", "! all of them /*\nx = 1\n", ["! all of them /*", "x = 1", ""]),
        ("a.f90", "#if A || \\\n  B\n#endif", ["#if A ||   B", "", "#endif"]),
        ("a.F90", "y = 2 /* a\nb */ + 1\nz = 3", ["y = 2  + 1", "", "z = 3"]),
    ],
)
def test_directives_stand_on_one_line(file: str, text: str, lines: list[str]) -> None:
    assert whole_directives(Path(file), text) == lines
