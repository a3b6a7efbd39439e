"""Names of C++: those of the original, unless C++ or point.h has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bridge_port.refusal import Place, Refused

#: Letters of a name of Fortran.
LONGEST = 63
_NAME = re.compile(r"[a-z]\w*")
_QUOTED = re.compile(r"'[^'\n]*'|!.*")
_CONTINUED = re.compile(r"&\s*\n\s*&?")
#: Keywords of C++ and what compilers add.
KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
    char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval
    constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unix linux unsigned using virtual
    void volatile wchar_t while xor xor_eq main""".split()
)
#: What kernels call, and names that headers of a compiler may make macros or functions of.
FUNCTIONS = frozenset(
    """real shared host bits mask select all any lookup species flag has_any clamp at_least at_most
    abs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh
    tanh erf sinpi cospi pow max min sign mod modulo aint anint nint floor ceil rint fabs fmax fmin
    copysign isfinite isnan iterate table neighbours inside element put quotient remainder power
    part merge turns on_time private lanes twice number y0 y1 yn j0 j1 jn gamma signbit fmod
    hypot index div time clock printf exit conjg either infinity complex
    popcnt leadz trailz erfc parts window alloca assert errno""".split()
)


class Prefix:
    """Of names in the catalogue. A name that begins with it stands as it is; of two of one kernel
    that would be the same then, the second one gets an underscore."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        own = prefixed(self.text, name)
        while self._given.setdefault(own, name) != name:
            own += "_"
        return own


def prefixed(prefix: str, name: str) -> str:
    """Of a kernel or a nest."""
    return name if prefix and name.lower().startswith(prefix.lower()) else prefix + name


def check_length(before: str, name: str, place: Place) -> None:
    """Refused where a name of the generated module is none of Fortran's. before: what the module
    puts in front of, or behind, the name of a nest or a procedure."""
    if len(before + name) > LONGEST:
        raise Refused(
            place, f"name {name}",
            f"it has {len(name)} letters, the generated module adds {before}, and names of "
            f"Fortran have at most {LONGEST}",
            f"say one of at most {LONGEST - len(before)} letters with --name, the prefix of the "
            "pack (--prefix) included",
        )  # fmt: skip


def check_names(text: str, names: Iterable[str], place: Place) -> None:
    """Refused where a name of the generated module that is made of a variable's is none of
    Fortran's. names: of the source."""
    plain = _QUOTED.sub("", _CONTINUED.sub("", text).lower())
    long = min((word for word in _NAME.findall(plain) if len(word) > LONGEST), default="")
    if not long:
        return
    own = max((name for name in names if long.startswith(name)), key=len, default=long)
    what = f"it has {len(own)} letters"
    if own != long:
        what += f", and the generated module has a name of {len(long)} made of it"
    most = LONGEST - (len(long) - len(own))
    raise Refused(
        place, f"name {own}", f"{what}: names of Fortran have at most {LONGEST}",
        f"a name of at most {most} letters in its place",
    )  # fmt: skip


class Names:
    """Names of one function. taken: those that nobody else may have."""

    def __init__(self, taken: frozenset[str] | set[str] = frozenset()) -> None:
        self.taken = set(taken)
        self.given: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Of a variable of the original."""
        if name not in self.given:
            self.given[name] = self.unique(name, keep=True)
        return self.given[name]

    def unique(self, stem: str, keep: bool = False) -> str:
        """A name that is not taken; keep: without a number where that is possible."""
        count = 1
        name = stem if keep else f"{stem}1"
        while name in self.taken or name in KEYWORDS or name in FUNCTIONS or name.endswith("__"):
            name = (f"{stem}_" if count == 1 else f"{stem}_{count}") if keep else f"{stem}{count}"
            count += 1
        self.taken.add(name)
        return name
