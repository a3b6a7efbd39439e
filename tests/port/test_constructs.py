"""The table of constructs in docs/reference/port.md: each snippet translates, asks for the option,
or is refused, as docs/constructs.toml says.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bridge_port.refusal import Refused
from bridge_port.request import of_words

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "constructs.toml"
Row = dict[str, Any]
ROWS: list[Row] = tomllib.loads(FILE.read_text(encoding="utf-8"))["construct"]

POINT = """\
subroutine probe(x, y)
  real(8), intent(in) :: x
  real(8), intent(inout) :: y
{declare}
{code}
end subroutine probe
"""
NEST = """\
subroutine probe(n, m, u, v, q, list, x, total)
  integer, intent(in) :: n, m, list(n)
  real(8), intent(in) :: x, v(n, m)
  real(8), intent(inout) :: u(n, m), q(3, n, m), total
  integer :: i, j
  real(8) :: t
{declare}
  !$bridge begin nest
{code}
  !$bridge end nest
end subroutine probe
"""
MODULE = """\
module probes
  implicit none
{module}
contains
{procedure}{contains}
end module probes
"""


def source(row: Row, kind: str) -> str:
    code = row[kind].strip("\n")
    if not code.startswith("subroutine"):
        form = POINT if kind == "point" else NEST
        code = form.format(declare=row.get("declare", "").strip(), code=code)
    return MODULE.format(
        module=row.get("module", ""), procedure=code.rstrip() + "\n",
        contains=row.get("contains", "").strip(),
    )  # fmt: skip


def attempt(file: Path, kind: str, words: list[str]) -> str:
    """The refusal, "" where it translates."""
    where = "::probe" if kind == "point" else "@nest"
    try:
        ported = of_words([f"{file.name}{where}", *words], file.parent).ported()
    except Refused as refused:
        return str(refused.refusal)
    assert ported.kernels
    return ""


CASES = [(row, kind) for row in ROWS for kind in ("point", "nest") if kind in row]


@pytest.mark.parametrize(
    ("row", "kind"), CASES, ids=[f"{kind}: {row['what'][:40]}" for row, kind in CASES]
)
def test_construct(row: Row, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "probes.f90"
    file.write_text(source(row, kind))
    refused = row.get(f"no_{kind}")
    said = row.get("say_nest", row.get("say", [])) if kind == "nest" else row.get("say", [])
    given = row.get("given", []) if kind == "point" else []
    plain = attempt(file, kind, given)
    if refused:
        assert refused in plain, plain or "it translates"
    elif said:
        assert plain, "it translates without the option"
        assert not (told := attempt(file, kind, list(said))), told
    else:
        assert not plain, plain


def test_every_row_has_a_snippet_and_known_keys() -> None:
    known = {"group", "what", "point", "nest", "module", "contains", "declare", "say", "say_nest"}
    for row in ROWS:
        assert row.keys() <= known | {"no_point", "no_nest", "given", "remark", "more"}, row[
            "what"
        ]
        assert {"point", "nest"} & row.keys(), row["what"]
        assert not {"more", "remark"} <= row.keys(), row["what"]
        for kind in ("point", "nest"):
            assert f"no_{kind}" not in row or kind in row, row["what"]
