"""The intrinsic procedures: one row for each name, which every other file asks.

A row says the class of a procedure, its dummy arguments, the types that it takes and gives, the
rank of its result, how the translator writes it in C++, and what it costs. How a value of
constants is computed stands in folding.py, by the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bridge_port.syntax.expressions import Expression, Keyword

#: Type and bytes.
Type = tuple[str, int]

ELEMENTAL, INQUIRY, REDUCTION = "elemental", "inquiry", "reduction"
TRANSFORMATIONAL, SUBROUTINE = "transformational", "subroutine"
TYPES = {"i": "integer", "r": "real", "c": "complex", "l": "logical", "t": "character"}

#: Functions of each element. Columns:
#: dummies: `?` behind those that are optional, `...` for more of the same;
#: takes: types of the first argument, by their first letter (t: a text, *: any), in parentheses
#: those that the language takes and kernels do not;
#: gives: `like` the first argument or a named one, `part`: of a complex number its parts, `wide`:
#: the widest of all; else a type and its bytes, without bytes those of the argument `kind`, or 4;
#: C++: how translate/intrinsics.py writes it (forms), and the name that it calls there where that
#: is another one; `-`: kernels do not have it;
#: cost: the operation of kernels/cpu/counted.h that it is counted as.
_ELEMENTAL = """
abs            a                   irc    part    call                     -
achar          i,kind?             i      t1      text                     -
acos           x                   r(c)   like    real                     acos
acosh          x                   r(c)   like    real                     log
adjustl        string              t      t1      text                     -
adjustr        string              t      t1      text                     -
aimag          z                   c      part    complex                  -
aint           a,kind?             r      like    conversion               round
anint          a,kind?             r      like    conversion               round
asin           x                   r(c)   like    real                     asin
asinh          x                   r(c)   like    real                     log
atan           x                   r(c)   like    real                     atan
atan2          y,x                 r      like    both                     atan2
atanh          x                   r(c)   like    real                     log
bessel_j0      x                   r      like    special:besselJ0         pow
bessel_j1      x                   r      like    special:besselJ1         pow
bessel_jn      n,x                 i      like:x  order:besselJn           pow
bessel_y0      x                   r      like    special:besselY0         pow
bessel_y1      x                   r      like    special:besselY1         pow
bessel_yn      n,x                 i      like:x  order:besselYn           pow
bge            i,j                 (i)    l4      -                        -
bgt            i,j                 (i)    l4      -                        -
ble            i,j                 (i)    l4      -                        -
blt            i,j                 (i)    l4      -                        -
btest          i,pos               i      l4      btest                    -
cbrt           x                   r      like    real                     pow
ceiling        a,kind?             r      i       conversion:ceil          round
char           i,kind?             i      t1      text                     -
cmplx          x,y?,kind?          irc    c       cmplx                    -
conjg          z                   c      like    complex                  -
cos            x                   rc     like    real                     cos
cosd           x                   (r)    like    -                        cos
cosh           x                   rc     like    real                     cosh
dble           a                   irc    r8      conversion               -
dcmplx         x,y?                irc    c8      cmplx                    -
dim            x,y                 ir     like    dim                      choose
dprod          x,y                 r      r8      dprod                    -
dshiftl        i,j,shift           (i)    like    -                        -
dshiftr        i,j,shift           (i)    like    -                        -
erf            x                   r      like    real                     erf
erfc           x                   r      like    special                  erf
erfc_scaled    x                   r      like    special:erfcScaled       pow
exp            x                   rc     like    real                     exp
exp2           x                   r      like    real                     exp
expm1          x                   r      like    real                     exp
exponent       x                   r      i4      exponent:exponentPart    -
floor          a,kind?             r      i       conversion:floor         round
fraction       x                   r      like    special:fractionPart     -
gamma          x                   r      like    special:gammaFunction    pow
hypot          x,y                 r      like    hypot                    -
iachar         c,kind?             t      i       text                     -
iand           i,j                 i      like    bitwise:&                -
ibclr          i,pos               i      like    ibclr                    -
ibits          i,pos,len           i      like    ibits                    -
ibset          i,pos               i      like    ibset                    -
ichar          c,kind?             t      i       text                     -
ieee_is_finite x                   r      l4      asked:isfinite           -
ieee_is_nan    x                   r      l4      asked:isnan              -
ieee_is_normal x                   (r)    l4      -                        -
ieee_value     x,class             r      like    conversion               -
ieor           i,j                 i      like    bitwise:^                -
index          string,substring,back?,kind? t i   text                     -
int            a,kind?             irc    i       conversion               round
ior            i,j                 i      like    bitwise:|                -
is_iostat_end  i                   (i)    l4      -                        -
is_iostat_eor  i                   (i)    l4      -                        -
ishft          i,shift             i      like    ishft                    -
ishftc         i,shift,size?       i      like    ishftc                   -
leadz          i                   i      i4      counted                  -
len_trim       string,kind?        t      i       text                     -
lge            string_a,string_b   t      l4      text                     -
lgt            string_a,string_b   t      l4      text                     -
lle            string_a,string_b   t      l4      text                     -
llt            string_a,string_b   t      l4      text                     -
log            x                   rc     like    real                     log
log10          x                   r      like    real                     log10
log1p          x                   r      like    real                     log
log2           x                   r      like    real                     log
log_gamma      x                   r      like    special:logGamma         pow
logical        l,kind?             l      l       conversion               -
maskl          i,kind?             i      i       maskl                    -
maskr          i,kind?             i      i       maskr                    -
max            a1,a2,...           ir(t)  wide    extreme                  choose
merge          tsource,fsource,mask *     like    merge                    choose
merge_bits     i,j,mask            i      like    merge_bits               -
min            a1,a2,...           ir(t)  wide    extreme                  choose
mod            a,p                 ir     like    remainder                mod
modulo         a,p                 ir     like    remainder                mod
nearest        x,s                 r      like    two:nearestNumber        -
nint           a,kind?             r      i       conversion               round
not            i                   i      like    complement               -
popcnt         i                   i      i4      counted                  -
poppar         i                   (i)    i4      -                        -
real           a,kind?             irc    r       conversion               -
rrspacing      x                   r      like    model:inverseSpacing     -
scale          x,i                 r      like    scale:scaleNumber        -
scan           string,set,back?,kind? t   i       text                     -
set_exponent   x,i                 r      like    two:setExponent          -
shifta         i,shift             i      like    shifta                   -
shiftl         i,shift             i      like    shiftl                   -
shiftr         i,shift             i      like    shiftr                   -
sign           a,b                 ir     like    both                     choose
sin            x                   rc     like    real                     sin
sind           x                   (r)    like    -                        sin
sinh           x                   rc     like    real                     sinh
spacing        x                   r      like    model:spacingOf          -
sqrt           x                   rc     like    real                     sqrt
tan            x                   rc     like    real                     tan
tand           x                   (r)    like    -                        tan
tanh           x                   rc     like    real                     tanh
trailz         i                   i      i4      counted                  -
verify         string,set,back?,kind? t   i       text                     -
"""
#: Names for one kind, of Fortran 77 and of compilers: the function, what it takes, what it gives.
_SPECIFIC = """
alog log r4 r4          alog10 log10 r4 r4      algama log_gamma r like  amax0 max i4 r4
amax1 max r4 r4         amin0 min i4 r4         amin1 min r4 r4          amod mod r4 r4
and iand i like         besj0 bessel_j0 r like  besj1 bessel_j1 r like   besjn bessel_jn i like:x
besy0 bessel_y0 r like  besy1 bessel_y1 r like  besyn bessel_yn i like:x cabs abs c4 r4
ccos cos c4 c4          cdabs abs c8 r8         cdcos cos c8 c8          cdexp exp c8 c8
cdlog log c8 c8         cdsin sin c8 c8         cdsqrt sqrt c8 c8        cdtan tan c8 c8
cexp exp c4 c4          clog log c4 c4          csin sin c4 c4           csqrt sqrt c4 c4
ctan tan c4 c4          dabs abs r8 r8          dacos acos r8 r8         dacosh acosh r8 r8
dasin asin r8 r8        dasinh asinh r8 r8      datan atan r8 r8         datan2 atan2 r8 r8
datanh atanh r8 r8      dbesj0 bessel_j0 r8 r8  dbesj1 bessel_j1 r8 r8   dbesjn bessel_jn i r8
dbesy0 bessel_y0 r8 r8  dbesy1 bessel_y1 r8 r8  dbesyn bessel_yn i r8    dconjg conjg c8 c8
dcos cos r8 r8          dcosh cosh r8 r8        ddim dim r8 r8           derf erf r8 r8
derfc erfc r8 r8        dexp exp r8 r8          dfloat dble i r8         dgamma gamma r8 r8
dimag aimag c8 r8       dint aint r8 r8         dlgama log_gamma r8 r8   dlog log r8 r8
dlog10 log10 r8 r8      dmax1 max r8 r8         dmin1 min r8 r8          dmod mod r8 r8
dnint anint r8 r8       dreal real c8 r8        dsign sign r8 r8         dsin sin r8 r8
dsinh sinh r8 r8        dsqrt sqrt r8 r8        dtan tan r8 r8           dtanh tanh r8 r8
float real i r4         iabs abs i4 i4          idim dim i4 i4           idint int r8 i4
idnint nint r8 i4       ifix int r4 i4          imag aimag c part        ishl ishft i like
isign sign i4 i4        isnan ieee_is_nan r l4  lgamma log_gamma r like  lshift shiftl i like
max0 max i4 i4          max1 max r4 i4          min0 min i4 i4           min1 min r4 i4
or ior i like           rshift shifta i like    sngl real r8 r4          xor ieor i like
zabs abs c8 r8          zcos cos c8 c8          zexp exp c8 c8           zlog log c8 c8
zsin sin c8 c8          zsqrt sqrt c8 c8        ztan tan c8 c8
"""
#: Not of one element. rank: of the result, `reduced`: one less with an argument dim, else 0;
#: `bounds`: 0 with dim, else 1; `located`: one less with dim, else 1; `first`, `more`: that of the
#: first argument, one more; `mask`: of that argument; `shape`: so many as it has elements; `?`: no
#: rule says it.
_WHOLE = """
inquiry allocated        array               *     l4      0        is_there -
inquiry associated       pointer,target?     *     l4      0        is_there -
inquiry bit_size         i                   i     like    0        constant -
inquiry c_associated     c_ptr_1,c_ptr_2?    *     l4      0        -        -
inquiry c_sizeof         x                   *     i8      0        -        -
inquiry digits           x                   ir    i4      0        digits   -
inquiry epsilon          x                   r     like    0        limit    -
inquiry huge             x                   ir    like    0        limit    -
inquiry is_contiguous    array               *     l4      0        -        -
inquiry kind             x                   *     i4      0        kind     -
inquiry lbound           array,dim?,kind?    *     i       bounds   bounds   -
inquiry len              string,kind?        t     i       0        text     -
inquiry loc              x                   *     i8      0        -        -
inquiry maxexponent      x                   r     i4      0        constant -
inquiry minexponent      x                   r     i4      0        constant -
inquiry precision        x                   rc    i4      0        digits   -
inquiry present          a                   *     l4      0        present  -
inquiry radix            x                   ir    i4      0        constant -
inquiry range            x                   irc   i4      0        digits   -
inquiry rank             a                   *     i4      0        -        -
inquiry shape            source,kind?        *     i       1        bounds   -
inquiry size             array,dim?,kind?    *     i       0        bounds   -
inquiry storage_size     a,kind?             *     i       0        -        -
inquiry tiny             x                   r     like    0        limit    -
inquiry ubound           array,dim?,kind?    *     i       bounds   bounds   -
reduction all            mask,dim?           l     l4      reduced  reduced  -
reduction any            mask,dim?           l     l4      reduced  reduced  -
reduction count          mask,dim?,kind?     l     i       reduced  reduced  -
reduction dot_product    vector_a,vector_b   ircl  wide    0        reduced  multiply,add,fused
reduction findloc        array,value,dim?,mask?,kind?,back? irclt i located located -
reduction iall           array,dim?,mask?    i     like    reduced  reduced:& -
reduction iany           array,dim?,mask?    i     like    reduced  reduced:| -
reduction iparity        array,dim?,mask?    i     like    reduced  reduced:^ -
reduction maxloc         array,dim?,mask?,kind?,back? irt i located located  -
reduction maxval         array,dim?,mask?    ir(t) like    reduced  reduced  choose
reduction minloc         array,dim?,mask?,kind?,back? irt i located located  -
reduction minval         array,dim?,mask?    ir(t) like    reduced  reduced  choose
reduction norm2          x,dim?              r     like    reduced  reduced  -
reduction parity         mask,dim?           l     l4      reduced  reduced  -
reduction product        array,dim?,mask?    irc   like    reduced  reduced  multiply
reduction sum            array,dim?,mask?    irc   like    reduced  reduced  add
transformational command_argument_count -    -     i4      0        -        -
transformational c_funloc         x          *     -       0        -        -
transformational c_loc            x          *     -       0        -        -
transformational cshift           array,shift,dim? *           like first   rearranged -
transformational eoshift          array,shift,boundary?,dim? * like first   rearranged -
transformational matmul           matrix_a,matrix_b ircl       wide matmul  product    -
transformational null             mold?      *     -       ?        -        -
transformational num_images       -          -     i4      0        -        -
transformational pack             array,mask,vector? *         like 1       rearranged -
transformational repeat           string,ncopies t             t1   0       text       -
transformational reshape          source,shape,pad?,order? *   like shape   rearranged -
transformational selected_char_kind name     t     i4      0        -        -
transformational selected_int_kind  r        i     i4      0        selected -
transformational selected_real_kind p?,r?,radix? i i4      0        selected -
transformational spread           source,dim,ncopies *         like more    rearranged -
transformational this_image       -          -     i4      ?        -        -
transformational transfer         source,mold,size? *     like:mold ?       -          -
transformational transpose        matrix     *     like    first    rearranged -
transformational trim             string     t     t1      0        text       -
transformational unpack           vector,mask,field *      like    mask     -          -
subroutine c_f_pointer           cptr,fptr,shape?            * - ? - -
subroutine co_sum                a,result_image?,stat?,errmsg? * - ? - -
subroutine cpu_time              time                        r - ? - -
subroutine date_and_time         date?,time?,zone?,values?   t - ? - -
subroutine execute_command_line  command,wait?,exitstat?,cmdstat?,cmdmsg? t - ? - -
subroutine get_command_argument  number,value?,length?,status? i - ? - -
subroutine get_environment_variable name,value?,length?,status?,trim_name? t - ? - -
subroutine move_alloc            from,to                     * - ? - -
subroutine mvbits                from,frompos,len,to,topos   i - ? - -
subroutine random_number         harvest                     r - ? - -
subroutine random_seed           size?,put?,get?             i - ? - -
subroutine system_clock          count?,count_rate?,count_max? i - ? - -
"""
#: What some compilers have, or C: a program may have a procedure of this name without saying so.
_OF_SOME = frozenset(
    "and cbrt cosd exp2 expm1 ishl loc log1p log2 lshift or rshift sind tand xor".split()
)
#: Subroutines, and functions that give another value at another time.
_IMPURE = frozenset(
    """co_sum cpu_time date_and_time execute_command_line get_command_argument
    get_environment_variable random_number random_seed system_clock""".split()
)


@dataclass(frozen=True)
class Intrinsic:
    """dummies: in their order, those of `optional` need not be given; more: there may be more like
    the last one; takes: types of the first argument, refused: those that kernels do not take;
    gives, rank: of the result, as the tables say; form: how it becomes C++, "" of what kernels do
    not have; word: the name that it has there; cost: operations that it is counted as; generic:
    the function that it is a name of, for one type; kind: bytes of what it takes then, or 0."""

    name: str
    category: str
    dummies: tuple[str, ...]
    optional: frozenset[str]
    more: bool
    takes: frozenset[str]
    refused: frozenset[str]
    gives: str
    rank: str
    form: str
    word: str
    cost: tuple[str, ...]
    generic: str
    kind: int = 0

    @property
    def pure(self) -> bool:
        """Whether it changes nothing but arguments, and gives the same for the same arguments."""
        return self.name not in _IMPURE

    @property
    def of_c(self) -> bool:
        """Whether it is a function of C, which a code declares by an interface."""
        return self.form == "real" and self.name in _OF_SOME

    @property
    def of_values(self) -> bool:
        """Whether its result follows from values and shapes of its arguments alone, as long as
        these stay allocated."""
        return self.form not in ("", "is_there")

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name in self.dummies if name not in self.optional)

    @property
    def of_type(self) -> bool:
        """Whether the type of its argument alone says its value."""
        return self.form in ("kind", "limit", "digits", "constant")

    def place(self, dummy: str) -> int:
        return self.dummies.index(dummy) if dummy in self.dummies else int(dummy[1:]) - 1

    def in_front(self, dummies: Sequence[str]) -> bool:
        """Whether these are the first ones, none between them left out."""
        return [self.place(one) for one in dummies] == list(range(len(dummies)))

    @property
    def fixed(self) -> Type | None:
        """The type of the result, where it is always the same."""
        kind = self.gives[1:]
        return (TYPES[self.gives[0]], int(kind)) if kind.isdigit() else None

    def bound(self, arguments: Sequence[Expression]) -> dict[str, Expression] | None:
        """The arguments by the names of the dummies; None where they do not fit."""
        found: dict[str, Expression] = {}
        for number, one in enumerate(arguments):
            if isinstance(one, Keyword):
                name, one = one.name, one.value
            elif number < len(self.dummies):
                name = self.dummies[number]
            else:
                name = f"a{number + 1}" if self.more else ""
            if name in found or (name not in self.dummies and not self.more):
                return None
            found[name] = one
        return found if all(name in found for name in self.required) else None


def _rows() -> Mapping[str, Intrinsic]:
    found: dict[str, Intrinsic] = {}

    def row(category: str, columns: Sequence[str]) -> None:
        name, dummies, takes, gives, rank, form, cost = columns
        words = [] if dummies == "-" else dummies.split(",")
        types, _, refused = takes.strip("-)").partition("(")
        form, _, word = form.partition(":")
        found[name] = Intrinsic(
            name, category, tuple(one.rstrip("?") for one in words if one != "..."),
            frozenset(one[:-1] for one in words if one[-1] == "?"), "..." in words,
            frozenset(TYPES.values() if types == "*" else (TYPES[t] for t in types + refused)),
            frozenset(TYPES[t] for t in refused), gives, rank, "" if form == "-" else form,
            word or name, () if cost == "-" else tuple(cost.split(",")), name,
        )  # fmt: skip

    for line in _ELEMENTAL.strip().splitlines():
        *columns, form, cost = line.split()
        row(ELEMENTAL, (*columns, "each", form, cost))
    for line in _WHOLE.strip().splitlines():
        category, *columns = line.split()
        row(category, columns)
    words = iter(_SPECIFIC.split())
    for name, generic, takes, gives in zip(words, words, words, words, strict=True):
        of, types = found[generic], frozenset({TYPES[takes[0]]})
        found[name] = replace(
            of, name=name, dummies=of.required, optional=frozenset(), takes=types, gives=gives,
            kind=int(takes[1:] or 0),
        )  # fmt: skip
    return found


TABLE = _rows()
#: Names that no program has for something else without saying so.
NAMES = frozenset(TABLE) - _OF_SOME
#: Functions whose result is made of their arguments alone.
OF_VALUES = frozenset(name for name, one in TABLE.items() if one.of_values)


def hides(name: str, kind: str) -> bool:
    """Whether a name is that of an intrinsic procedure of every compiler, without a module, where
    an external procedure has it too. kind: function or subroutine, as the name is used."""
    one = TABLE.get(name)
    if one is None or name in _OF_SOME or name.startswith(("ieee_", "c_")):
        return False
    return (one.category == SUBROUTINE) == (kind == "subroutine")


def find(name: str) -> Intrinsic | None:
    return TABLE.get(name)


def generic(name: str) -> str:
    """The function that a name is for one kind; the name itself of others."""
    one = TABLE.get(name)
    return name if one is None else one.generic


def is_a(name: str, *categories: str) -> bool:
    """Whether it is an intrinsic procedure of one of these classes."""
    one = TABLE.get(name)
    return one is not None and one.category in categories


def asks_array(name: str) -> bool:
    """Whether it asks for a property of an array, or of its type, and not for its values."""
    return is_a(name, INQUIRY) and TABLE[name].form != "constant"


def asks_bounds(name: str) -> bool:
    """Whether it is size, lbound or ubound."""
    one = TABLE.get(name)
    return one is not None and one.form == "bounds" and "dim" in one.dummies


def of_integers(name: str) -> bool:
    """Whether it gives an integer for integers, element by element."""
    one = TABLE.get(name)
    if one is None or one.category != ELEMENTAL or "integer" not in one.takes:
        return False
    return one.gives in ("like", "wide", "part", "i", "i4")


def extreme(name: str) -> str:
    """max or min of a name that gives one of its arguments as it is, "" of others."""
    one = TABLE.get(name)
    if one is None or one.form != "extreme" or one.fixed and one.fixed[0] not in one.takes:
        return ""
    return one.generic


def ends(name: str) -> bool:
    """Whether it ends for all numbers: no argument stops a program."""
    one = TABLE.get(name)
    if one is None or one.category != ELEMENTAL:
        return asks_bounds(name)
    return one.form != "" and {"choose", "round"}.issuperset(one.cost)


def is_costly(name: str) -> bool:
    """Whether a function of each element takes as long as ten products or more."""
    one = TABLE.get(name)
    cheap = {"choose", "round", "mod"}
    return one is not None and one.category == ELEMENTAL and not cheap.issuperset(one.cost)
