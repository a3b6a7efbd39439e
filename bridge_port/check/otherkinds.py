"""Integers and logicals of other kinds than 4 in a nest under test: what fills and writes them
calls that of kind 4."""

from __future__ import annotations

#: Letter of the type, kind.
ENTRIES = {
    (type_, kind): f"{type_[0]}{kind}" for type_ in ("integer", "logical") for kind in (1, 2, 8)
}


def entries(prefix: str) -> str:
    """Fortran: subroutines whose names begin with the prefix; with sizes for zz_."""
    lines: list[str] = []
    for (type_, kind), name in ENTRIES.items():
        same = ".neqv." if type_ == "logical" else "/="
        lines += _one(f"{prefix}{name}", f"{prefix}{name[0]}4", f"{type_}({kind})", type_, same)
        if prefix == "zz_" and type_ == "integer":
            lines += _one(f"zz_set_{name}", "zz_set", f"integer({kind})", type_, same)
    return "\n".join([*lines, ""])


def _one(name: str, calls: str, declared: str, type_: str, differs: str) -> list[str]:
    return [
        f"subroutine {name}(id, n, x)",
        "  implicit none",
        "  integer, intent(in) :: id, n",
        f"  {declared} :: x(n)",
        f"  {type_} :: of_four(n)",
        "  of_four = x",
        f"  call {calls}(id, n, of_four)",
        f"  if (any(x {differs} of_four)) x = of_four",
        "end subroutine",
    ]


def setting(kind: int) -> str:
    """The name of what gives a size."""
    return "zz_set" if kind == 4 else f"zz_set_i{kind}"
