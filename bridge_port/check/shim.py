"""Fortran beside the original: a subroutine that calls a procedure point after point, and access
to the data of modules and COMMON.

What it gives for arguments that are no numbers: objects of derived types, whose components a
kernel has as arguments of its own, and what the procedure never names. Names begin with zz_: those
of the original cannot be known to be free. The tests of the translator write theirs with it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bridge.plan.columns import counted
from bridge_port.check.inside import Inside
from bridge_port.kernel import HostValue, Kernel, Quantity
from bridge_port.output.fortran import Interface, Procedure, Statement, Use, call
from bridge_port.output.hostdata import text_statement
from bridge_port.program.derivedtypes import extensions
from bridge_port.program.program import Program
from bridge_port.program.resolved import designated
from bridge_port.program.symbols import COMMON, Derived, Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Component, Expression, Name
from bridge_port.syntax.units import Unit, every, used_module
from bridge_port.translate.reach import silent as silent_dummies

#: Types of arguments that no kernel has as they are.
OTHERS = ("type", "complex")


def extents(q: Quantity, ns: int) -> list[int]:
    return [counted(str(n), ns) for n in q.shape]


def columns(q: Quantity, ns: int) -> int:
    count = 1
    for extent in extents(q, ns):
        count *= extent
    return count


def quantities(kernel: Kernel) -> list[Quantity]:
    """Each once, inputs first."""
    found = {q.name: q for q in kernel.inputs}
    for q in kernel.outputs:
        found.setdefault(q.name, q)
    return list(found.values())


#: What `at` of the shim is on entry: outputs without a value, and memory of the calls that follow,
#: are NaN (integers -77777, logicals true), or 0. What differs then has no value. In other runs
#: outputs are 0 before the call.
MARKED, CLEARED = -1, -2
#: At the beginning of the shim.
MARKS = ("zz_mark = zz_at", "zz_real = 0", "zz_whole = merge(-77777, 0, zz_mark == -1)",
         "if (zz_mark == -1) zz_real = transfer(9221120237041090560_8, zz_real)")  # fmt: skip
NO_VALUE = {"real": "zz_real", "integer": "zz_whole", "logical": "(zz_mark == -1)"}
#: Results of functions have what is in memory.
UNSET = Procedure(
    "zz_unset", (), ["real(8), volatile :: zz_memory(4000)"], ["zz_memory = zz_real"]
)
#: For dummies that are procedures and never called.
NOTHING = Procedure("zz_nothing")


@dataclass
class Shim:
    """Of one procedure. values: of integer arguments that have one value; species: the variable
    with their number; types: of arguments of a class; name: of the subroutine; texts: of character
    arguments; procedures: for arguments and components that are procedures."""

    program: Program
    unit: Unit
    kernel: Kernel
    ns: int
    values: Mapping[str, int]
    species: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    name: str = "zz_run"
    texts: Mapping[str, str] = field(default_factory=dict)
    procedures: Mapping[str, Unit] = field(default_factory=dict)

    def text(self) -> str:
        # The call of a procedure inside another one stands in that.
        parts = self.beside() if self.around is None else self.beside()[1:]
        return "".join(map(str, parts))

    def beside(self) -> list[Procedure]:
        """All that it makes."""
        values = (*self.kernel.constants, *self.kernel.tables)
        hosts = [access(self.program, self.unit, self.ns, value) for value in values]
        return [self.procedure(), *hosts, self.given()]

    @cached_property
    def around(self) -> Inside | None:
        """The unit around a procedure that stands in another one."""
        parent = self.unit.parent
        if parent is None or parent.kind in ("module", "submodule"):
            return None
        return Inside(self.program, self.unit, self.kernel)

    @property
    def said(self) -> dict[str, str]:
        """What has one value in every run, as Fortran has it."""
        texts = {name: text.replace("'", "''") for name, text in self.texts.items()}
        found = {name: str(value) for name, value in self.values.items()}
        return found | {name: f"'{text}'" for name, text in texts.items()}

    def given(self) -> Procedure:
        """zz_given(): data of modules that have one value in every run."""
        found: dict[tuple[str, str], str] = {}
        if "::" in self.species:
            module, _, name = self.species.partition("::")
            found[module, name] = str(self.ns)
        for unit in self.program.modules.values():
            for d in unit.declarations:
                if d.name in self.unit.arguments or d.attributes & {"parameter", "protected"}:
                    continue
                for name, value in self.said.items():
                    if name.partition("%")[0] == d.name:
                        found[unit.name, name] = value
        uses, body = [], []
        for n, ((module, name), value) in enumerate(found.items()):
            variable, mark, rest = name.partition("%")
            uses.append(Use(module, (f"zz_{n} => {variable}",)))
            body += [*memory(self.program, module, name, f"zz_{n}"),
                     f"zz_{n}{mark}{rest} = {value}"]  # fmt: skip
        return Procedure("zz_given", (), uses, body, suffix=" bind(c)")

    def procedure(self) -> Procedure:
        """NAME(first, last, at, quantities): calls it at some points; at: the one it is at."""
        return _Points(self).procedure()


class _Points:
    """The subroutine of a shim. head: its declarations; before: the loop over points; body, after:
    what stands there in front of the call and behind it; call: what is passed."""

    def __init__(self, shim: Shim) -> None:
        self.shim, self.unit, self.program = shim, shim.unit, shim.program
        self.kernel, self.around = shim.kernel, shim.around
        self.scope = shim.program.scope(shim.unit)
        self.quantities = quantities(shim.kernel)
        self.names = {q.name: f"zz_q{n}" for n, q in enumerate(self.quantities)}
        self.by = {q.argument: q for q in self.quantities if not q.storage}
        self.outside = [q for q in self.quantities if q.storage]
        units = frozenset(self.around.units) if self.around is not None else frozenset()
        self.stand_ins = StandIns(self.program, self.unit, shim.types, units=units)
        self.passed = PassedProcedures(self.program, shim.procedures)
        self.silent = silent_dummies(self.program, self.unit)
        self.procedures = self.program.procedure_arguments(self.unit)
        self.head: list[Statement] = []
        self.before: list[str] = []
        self.body: list[str] = []
        self.after: list[str] = []
        self.call: list[str] = []
        self.by_keyword = False

    def procedure(self) -> Procedure:
        self._heading()
        for q in self.outside:  # What the original leaves alone keeps what it has.
            seen = self.around is not None and q.owner in self.around.units
            self._moves(q, q.argument if seen else _designator(q), "77")
        for dummy in self.unit.arguments:
            self._argument(dummy)
        if self.unit.kind == "function":
            self._result()
        else:
            self.body.append(f"call {self._target}({', '.join(self.call)})")
        body: list[Statement] = [
            *MARKS, *self.before, "do zz_point = zz_first, zz_last", "zz_at = zz_point",
            call("zz_unset", where="zz_mark < 0"), *self.body, *self.after, "end do",
        ]  # fmt: skip
        inside: list[Procedure | Sequence[str]] = [UNSET]
        inside += [NOTHING] if self.stand_ins.external else []
        inside += [self.around.procedures()] if self.around else []
        arguments = ["zz_first", "zz_last", "zz_at", *self.names.values()]
        return Procedure(
            self.shim.name, arguments, self.head, body, inside=inside, suffix=" bind(c)"
        )

    @property
    def _module(self) -> Unit | None:
        """That the procedure is used from."""
        return self.unit.parent if self.around is None else None

    @property
    def _target(self) -> str:
        return "zz_call" if self._module is not None else self.unit.name

    def _heading(self) -> None:
        """Declarations, but for those of arguments of the procedure."""
        kinds = ("zz_double => c_double", "zz_int => c_int")
        head: list[Statement] = [Use("iso_c_binding", kinds, intrinsic=True)]
        if self._module is not None:
            head.append(Use(used_module(self._module), (f"zz_call => {self.unit.name}",)))
        uses, commons = self._outside()
        head += [*self.stand_ins.uses(), *self.passed.uses(), *uses]
        head.append("implicit none" if self.around is None else self.around.specification())
        head += ["integer(zz_int), value :: zz_first, zz_last",
                 "integer(zz_int), volatile :: zz_at", "integer :: zz_point",
                 "integer :: zz_mark, zz_whole", "real(8) :: zz_real"]  # fmt: skip
        head += self.passed.declarations()
        head += [self._external()] if self.unit.parent is None else []
        for q in self.quantities:
            word = "real(zz_double)" if q.type == "real" else "integer(zz_int)"
            head.append(f"{word} :: {self.names[q.name]}({columns(q, self.shim.ns)}, zz_last)")
        self.head = [*head, f"integer :: {', '.join(INDICES)}", *commons]

    def _external(self) -> Statement:
        """The declaration of a procedure that stands alone."""
        unit = self.unit
        if self._explicit():
            return interface(unit)
        if unit.kind != "function":
            return f"external :: {unit.name}"
        word = type_text(self.scope.symbol(unit.result or unit.name))
        return f"{word}, external :: {unit.name}"

    def _explicit(self) -> bool:
        """Whether an external procedure needs an interface where it is called."""
        procedures = self.unit.external | self.procedures
        names = [d for d in self.unit.arguments if d != "*" and d not in procedures]
        symbols = [self.scope.symbol(d) for d in names]
        return any(
            s.optional
            or s.attributes & {"class", "pointer", "allocatable"}
            or any(one.deferred for one in s.dimensions or ())
            for s in symbols
        )

    def _outside(self) -> tuple[list[Use], list[str]]:
        """use statements and COMMON blocks of variables of modules that are arguments."""
        uses: dict[Use, None] = {}
        blocks: dict[str, list[str]] = {}
        for q in self.outside:
            if q.storage == COMMON and self.around is not None and self.around.has(q.owner):
                continue
            if q.storage == COMMON:
                name = q.argument
                blocks.setdefault(q.owner, common(self.program, self.unit, q.owner, name))
            elif self.around is None or q.owner not in self.around.units:
                name = q.argument.partition("%")[0]
                uses[Use(q.owner, (f"{_own(q.owner, name)} => {name}",))] = None
        return list(uses), [text for lines in blocks.values() for text in lines]

    # ---- arguments ----------------------------------------------------------------------------

    def _argument(self, dummy: str) -> None:
        """One of the procedure: it is declared, set, passed and read."""
        if dummy == "*":
            raise Refused(self.unit.place, "alternate return", "the check cannot call it")
        if dummy in self.kernel.procedure.absent:
            self.by_keyword = True
            return
        if dummy in self.shim.procedures:
            self._pass(dummy, self.passed[dummy])
            return
        if dummy in self.procedures - self.silent:  # an optional one
            self.by_keyword = True
            return
        # A variable of the unit around stands there, and is not passed.
        held = self.around.variables.get(dummy, "") if self.around is not None else ""
        local = held or f"zz_v_{dummy}"[:63]
        self.body += self.passed.pointers(dummy, local)
        components = self._components(dummy)
        if dummy in self.silent or components or self.scope.symbol(dummy).type in OTHERS:
            passed = self._object(dummy, local, components)
        else:
            symbol, passed = self.scope.symbol(dummy), local
            if symbol.type == "character" and symbol.optional and dummy not in self.shim.texts:
                self.by_keyword = True
                return
            self._value(dummy, local, symbol, held)
        if not held:
            self._pass(dummy, passed)

    def _pass(self, dummy: str, passed: str) -> None:
        self.call.append(f"{dummy}={passed}" if self.by_keyword else passed)

    def _components(self, name: str) -> list[Quantity]:
        return [q for argument, q in self.by.items() if argument.startswith(f"{name}%")]

    def _object(self, dummy: str, local: str, components: Sequence[Quantity]) -> str:
        """What is passed for an argument that is no number."""
        declared, passed = self.stand_ins.declaration(dummy, local, components)
        self.head += [declared] if declared else []
        self.body += [
            f"{local}%{name.partition('%')[2]} = {value}"
            for name, value in self.shim.said.items()
            if name.startswith(f"{dummy}%")
        ]
        self.before += self.stand_ins.allocations([(q, local) for q in components])
        for q in components:
            self._component(q, local)
        return passed

    def _value(self, dummy: str, local: str, symbol: Symbol, held: str) -> None:
        """An argument that is a number or a text."""
        shim, q = self.shim, self.by.get(dummy)
        own_species = "" if "::" in shim.species else shim.species.lower()
        if q is not None and q.texts:
            self._numbered(q, local, self.scope.length(symbol))
        elif symbol.type == "character":
            text = shim.texts.get(dummy, " ")
            length = self.scope.length(symbol)
            if length is None:
                length = len(text) if dummy in shim.texts else 64
            self.head.append(f"character(len={length}) :: {local}")
            quoted = text.replace("'", "''")
            self.body.append(f"{local} = '{quoted}'")
        elif dummy in shim.values or (dummy == own_species and q is None):
            self.head.append(f"{type_text(symbol)} :: {local}")
            self.body.append(f"{local} = {shim.values.get(dummy, shim.ns)}")
        elif q is not None:
            shape = self._shape(q)
            if held and self.around is not None:
                shape = self.around.shape(held, extents(q, shim.ns))
            self.head.append(f"{type_text(symbol)} :: {local}{shape}")
            # What an original without intents leaves alone keeps what it has.
            self._moves(q, local, "" if symbol.intent else "77")
        else:  # what the kernel needs not
            self.head.append(f"{type_text(symbol)} :: {local}{fixed_shape(self.scope, symbol)}")
            self.body.append(f"{local} = {'.false.' if symbol.type == 'logical' else 0}")

    def _result(self) -> None:
        """The call of a function, and what it gives."""
        name, local = self.unit.result or self.unit.name, "zz_result"
        result = self.scope.symbol(name)
        # Nothing of it is set in front of the call.
        body = [*self.body, f"{local} = {self._target}({', '.join(self.call)})"]
        if result.type == "type":
            self.head.append(self.stand_ins.declaration(name, local)[0])
            for q in self._components(name):
                self._component(q, local)
        elif result.type == "complex":
            self.head.append(f"{type_text(result)} :: {local}")
            for part in ("re", "im"):
                self._moves(self.by[f"{name}%{part}"], f"{local}%{part}")
        elif result.type == "character":
            self._numbered(self.by[name], local, self.scope.length(result))
        else:
            own = self.by[name]
            self.head.append(f"{type_text(result)} :: {local}{self._shape(own)}")
            self._moves(own, local)
        self.body = body

    # ---- values -------------------------------------------------------------------------------

    def _numbered(self, q: Quantity, local: str, length: int | None) -> None:
        """A text whose number the kernel gives: -1 of one that it has no number of."""
        length = length if length is not None else max(map(len, q.texts)) + 8
        number, nothing = f"{self.names[q.name]}(1, zz_point)", f"repeat('~', {length})"
        self.head.append(f"character(len={length}) :: {local}")
        self.body.append(f"{local} = {nothing}")
        self.after += [f"{number} = -1", f"if ({local} == {nothing}) {number} = 0"]
        for n, text in enumerate(q.texts, 1):
            self.after += ["block", f"character(len={max(len(text), 1)}) :: zz_text",
                           text_statement("zz_text", text),
                           f"if ({local} == zz_text) {number} = {n}", "end block"]  # fmt: skip

    def _component(self, q: Quantity, local: str) -> None:
        """Of an object, to it and from it."""
        found = self.stand_ins.element(q, local)
        if found is None:
            self._moves(q, f"{local}%{q.argument.partition('%')[2]}")
            return
        element, place, extents_ = found
        column = f"{self.names[q.name]}({place}, zz_point)"
        inward = f"({column} /= 0)" if q.type == "logical" else column
        outward = f"merge(1, 0, {element})" if q.type == "logical" else element
        if not self._is_input(q):
            inward = NO_VALUE[q.type]
        self.body += looped(f"{element} = {inward}", extents_)
        if self._is_output(q):
            self.after += looped(f"{column} = {outward}", extents_)

    def _is_input(self, q: Quantity) -> bool:
        return q.name in {x.name for x in self.kernel.inputs}

    def _is_output(self, q: Quantity) -> bool:
        return q.name in {x.name for x in self.kernel.outputs}

    def _moves(self, q: Quantity, local: str, before: str = "") -> None:
        """before: what an output is before the call, "" where it has no value."""
        ns, name = self.shim.ns, self.names[q.name]
        column = f"{name}(:, zz_point)" if q.shape else f"{name}(1, zz_point)"
        inward, outward = column, local
        if q.type == "logical":
            inward = f"({column} /= 0)"
        if q.shape:
            shape = ", ".join(str(n) for n in extents(q, ns))
            inward = f"reshape({inward}, [{shape}])"
            outward = f"reshape({local}, [{columns(q, ns)}])"
        if q.type == "logical":
            outward = f"merge(1, 0, {outward})"
        if self._is_input(q):
            self.body.append(f"{local} = {inward}")
        else:
            kept = before and {"logical": ".false."}.get(q.type, before)
            self.body.append(f"{local} = {kept or NO_VALUE[q.type]}")
        if self._is_output(q):
            self.after.append(f"{column} = {outward}")

    def _shape(self, q: Quantity) -> str:
        return f"({', '.join(str(n) for n in extents(q, self.shim.ns))})" if q.shape else ""


def _own(module: str, name: str) -> str:
    """A local name of a variable of a module."""
    return f"zz_m_{module}_{name}"[:63]


def _designator(q: Quantity) -> str:
    """Of a variable of a module or COMMON, in the shim."""
    if q.storage == COMMON:
        return q.argument
    name, mark, rest = q.argument.partition("%")
    return _own(q.owner, name) + mark + rest


class PassedProcedures:
    """given: by argument, or by the path of a component. Each has a name of its own in the
    check, but one of no module."""

    def __init__(self, program: Program, given: Mapping[str, Unit]) -> None:
        self.program, self.given = program, given
        self._names = {word: f"zz_p{n}" for n, word in enumerate(given)}

    def __getitem__(self, word: str) -> str:
        unit = self.given[word]
        return self._names[word] if unit.parent is not None else unit.name

    def uses(self) -> list[Use]:
        return [
            Use(unit.parent.name, (f"{self[word]} => {unit.name}",))
            for word, unit in self.given.items()
            if unit.parent is not None
        ]

    def declarations(self) -> list[Interface]:
        """Interfaces of those that stand in no module, each once."""
        outside = {unit.name: unit for unit in self.given.values() if unit.parent is None}
        return [interface(unit) for unit in outside.values()]

    def pointers(self, dummy: str, local: str) -> list[str]:
        """Statements that set components of the variable for an argument."""
        return [
            f"{local}{word.removeprefix(dummy)} => {self[word]}"
            for word in self.given
            if word.startswith(f"{dummy}%")
        ]


def interface(unit: Unit) -> Interface:
    """Of a procedure outside of modules."""
    return Interface(replace(unit, body=[], units=[]))


def access(program: Program, unit: Unit, ns: int, value: HostValue) -> Procedure:
    """zz_host_NAME(values, sizes, set): gets the values and extents, or sets the values."""
    variable = value.variable
    kinds = ("zz_double => c_double", "zz_long => c_long_long", "zz_int => c_int")
    head: list[Statement] = [Use("iso_c_binding", kinds, intrinsic=True)]
    declared: list[str] = []
    if value.storage == COMMON:
        declared = common(program, value.unit or unit, value.owner, variable)
    else:
        head.append(Use(value.owner, (variable.partition("%")[0],)))
    head += ["implicit none", *declared, "real(zz_double) :: zz_values(*)",
             "integer(zz_long) :: zz_sizes(3)", "integer(zz_int), value :: zz_set"]  # fmt: skip
    array = value.bounds_of or variable
    symbol = _symbol(program, value.owner, array)
    held = symbol.attributes & {"allocatable", "pointer"} if symbol is not None else ()
    body: list[str] = []
    if held:
        known = "allocated" if "allocatable" in held else "associated"
        # A list has an entry for each species; of tables nothing is known but their rank.
        unknown = (ns or 5) if len(value.shape) == 1 else 24
        shape = ", ".join(str(n or unknown) for n in value.shape)
        zero = ".false." if value.type == "logical" else "0"
        body += [f"if (.not. {known}({array})) then",
                 f"allocate ({array}({shape}))" if shape else f"allocate ({array})",
                 f"{variable} = {zero}", "end if"]  # fmt: skip
    got = f"merge(1, 0, {variable})" if value.type == "logical" else variable
    given, values = "zz_values(1)", "zz_values(1)"
    if value.shape:
        body += [
            f"zz_sizes({n}) = " + (str(size) if value.merged else f"size({variable}, {n})")
            for n, size in enumerate(value.shape, 1)
        ]
        values = f"zz_values(1:size({variable}))"
        given, got = f"reshape({values}, shape({variable}))", f"reshape({got}, [size({variable})])"
    given = f"({given} /= 0)" if value.type == "logical" else given
    body += [f"if (zz_set /= 0) {variable} = {given}", f"{values} = {got}"]
    return Procedure(
        f"zz_host_{value.name}", ("zz_values", "zz_sizes", "zz_set"), head, body, suffix=" bind(c)"
    )


def memory(program: Program, owner: str, variable: str, local: str) -> list[str]:
    """Statements that give memory to a number that is a pointer or allocatable, or lies behind
    one. local: its name in the check, or that of what it is a component of."""
    lines = []
    parts = variable.split("%")
    for count in range(1, len(parts) + 1):
        symbol = _symbol(program, owner, "%".join(parts[:count]))
        held = symbol.attributes & {"allocatable", "pointer"} if symbol is not None else ()
        if symbol is None or not held or symbol.dimensions is not None:
            continue
        known = "allocated" if "allocatable" in held else "associated"
        name = "%".join([local, *parts[1:count]])
        lines.append(f"if (.not. {known}({name})) allocate ({name})")
    return lines


def _symbol(program: Program, owner: str, variable: str) -> Symbol | None:
    module = program.modules.get(owner)
    if module is None:
        return None
    name, *components = variable.split("%")
    e: Expression = Name(name)
    for one in components:
        e = Component(e, one)
    return designated(e, program.scope(module))


def common(program: Program, unit: Unit, block: str, variable: str) -> list[str]:
    for one in [unit, *every(program.units)]:
        members = [m.name for m in one.commons if m.block == block]
        if variable in members:
            return common_lines(program.scope(one), block, members)
    raise Refused(unit.place, f"common {block}", "no unit declares it")


def common_lines(scope: Scope, block: str, members: Sequence[str]) -> list[str]:
    lines = []
    for member in members:
        symbol = scope.symbol(member)
        lines.append(f"{type_text(symbol)} :: {member}{fixed_shape(scope, symbol)}")
    return [*lines, f"common {f'/{block}/' if block else '//'} {', '.join(members)}"]


def fixed_shape(scope: Scope, symbol: Symbol) -> str:
    if symbol.dimensions is None:
        return ""
    return f"({', '.join(str(n or 1) for n in scope.extents(symbol))})"


def type_text(symbol: Symbol) -> str:
    if symbol.type == "type":
        return f"type({symbol.type_name})"
    if symbol.type == "character":
        return f"character(len={symbol.scope.length(symbol) or 64})"
    return f"{symbol.type}({symbol.kind})"


#: Variables of loops over elements of arrays of a type.
INDICES = ("zz_1", "zz_2", "zz_3", "zz_4", "zz_5", "zz_6", "zz_7")


@dataclass
class StandIns:
    """Of the arguments of a unit. types: of arguments of a class, as the user says; units: whose
    types are seen by their names, without use."""

    program: Program
    unit: Unit
    types: Mapping[str, str] = field(default_factory=dict)
    external: bool = False
    units: frozenset[str] = frozenset()

    def uses(self) -> list[Use]:
        """Of all types."""
        found: dict[Use, None] = {}
        for symbol in self._symbols():
            if symbol.type == "type" and symbol.type_name != "*":
                derived = self.derived(symbol)
                owner = derived.scope.unit.name
                if owner in self.units:
                    continue
                found[Use(owner, (f"{self._name(derived)} => {derived.name}",))] = None
        return list(found)

    def _symbols(self) -> list[Symbol]:
        scope = self.program.scope(self.unit)
        procedures = self.unit.external | self.program.procedure_arguments(self.unit)
        names = [d for d in self.unit.arguments if d != "*" and d not in procedures]
        if self.unit.kind == "function":
            names.append(self.unit.result or self.unit.name)
        return [scope.symbol(d, self.unit.place) for d in names]

    def _name(self, derived: Derived) -> str:
        own = derived.scope.unit.name in self.units
        return derived.name if own else f"zz_{derived.name}"[:63]

    def derived(self, symbol: Symbol) -> Derived:
        """The type that an object is made of: that of the user, or the declared one, or an
        extension of one that is abstract."""
        declared: Derived = symbol.scope.derived(symbol.type_name, symbol.place)
        wanted = {name.lower(): one.lower() for name, one in self.types.items()}.get(symbol.name)
        for one in (declared, *extensions(declared)):
            if one.definition.abstract or (wanted is not None and one.name != wanted):
                continue
            return one
        raise Refused(symbol.place, f"argument {symbol.name}",
                      f"no type is given that extends the abstract type {declared.name}",
                      "give the file of one")  # fmt: skip

    def declaration(
        self, dummy: str, local: str, components: Sequence[Quantity] = ()
    ) -> tuple[str, str]:
        """The declaration of a local variable, and what is passed. components: of the object."""
        if dummy in self.unit.external:
            self.external = True
            return "", "zz_nothing"
        symbol = self.program.scope(self.unit).symbol(dummy, self.unit.place)
        word = type_text(symbol)
        if symbol.type == "type":
            word = "integer" if symbol.type_name == "*" else ""
            if not word:
                derived = self.derived(symbol)
                word = f"type({self._name(derived)})"
                if symbol.attributes & {"pointer", "allocatable"} and "class" in symbol.attributes:
                    declared = symbol.scope.derived(symbol.type_name, symbol.place)
                    if declared is not derived:
                        raise Refused(symbol.place, f"argument {dummy}",
                                      "an abstract class pointer", "")  # fmt: skip
                    word = f"class({self._name(derived)})"
        rank = len(symbol.dimensions or ())
        for kind in ("pointer", "allocatable"):
            if kind in symbol.attributes:
                shape = f"({', '.join(':' * rank)})" if rank else ""
                null = " => null()" if kind == "pointer" else ""
                return f"{word}, {kind} :: {local}{shape}{null}", local
        shape = ""
        if rank:
            extents = list(symbol.scope.extents(symbol))
            if components:
                extents = [int(n) for n in components[0].shape[-rank:]]
            shape = f"({', '.join(str(1 if n is None else n) for n in extents)})"
        return f"{word} :: {local}{shape}", local

    # ---- components -----------------------------------------------------------------------------

    def allocations(self, components: Sequence[tuple[Quantity, str]]) -> list[str]:
        """Statements that give memory to components which are pointers or allocatable, and to
        those on the way to them, once each. components: with the variable that is the object."""
        lines: list[str] = []
        done: set[str] = set()
        for q, local in components:
            if self._of_number(q):
                continue
            levels = self._levels(q, local)
            ranks = [len(one.dimensions or ()) for _, one in levels]
            sizes = list(q.shape)
            lowers = list(q.lower)
            places: list[list[tuple[str, str]]] = []  # of each level: first and last subscripts
            for (_, one), rank in zip(reversed(levels), reversed(ranks), strict=True):
                mine = []
                for low, size in zip(lowers[:rank], sizes[:rank], strict=True):
                    low = 1 if one is levels[0][1] else low
                    mine.append((str(low), str(low + int(size) - 1)))
                places.insert(0, mine)
                sizes, lowers = sizes[rank:], lowers[rank:]
            text, loops = local, 0
            heads: list[str] = []
            for (name, one), mine in zip(levels, places, strict=True):
                text = f"{text}%{name}" if one is not levels[0][1] else local
                shape = ", ".join(":".join(pair) for pair in mine)
                if one.attributes & {"pointer", "allocatable"} and one is not levels[0][1]:
                    if text not in done:
                        done.add(text)
                        word = f"allocate ({text}({shape}))" if mine else f"allocate ({text})"
                        lines += [*heads, word, *(["end do"] * len(heads))]
                indices = INDICES[loops : loops + len(mine)]
                for index, (first, last) in zip(indices, mine, strict=True):
                    heads = [*heads, f"do {index} = {first}, {last}"]
                loops += len(mine)
                text += f"({', '.join(indices)})" if mine else ""
        return lines

    def _of_number(self, q: Quantity) -> bool:
        """Whether it is a part of a complex number."""
        dummy = q.argument.partition("%")[0]
        return bool(self.program.scope(self.unit).symbol(dummy).type == "complex")

    def _levels(self, q: Quantity, local: str) -> list[tuple[str, Symbol]]:
        """The object and the components down to that of a kernel."""
        dummy, *names = q.argument.split("%")
        symbol: Symbol = self.program.scope(self.unit).symbol(dummy, self.unit.place)
        levels = [(local, symbol)]
        derived = self.derived(symbol)
        for name in names:
            found = derived.component(name)
            assert found is not None
            levels.append((name, found))
            if found.type == "type":
                derived = found.scope.derived(found.type_name, found.place)
        return levels

    def element(self, q: Quantity, local: str) -> tuple[str, str, list[int]] | None:
        """Of a component of an array of a type with a shape of its own: its element, the place of
        that among all of them, extents of the loops. None where the component is an array or a
        number of the language."""
        if self._of_number(q):
            return None
        levels = self._levels(q, local)
        symbol = levels[0][1]
        ranks = [len(one.dimensions or ()) for _, one in levels]
        if sum(rank > 0 for rank in ranks) < 2:
            return None
        extents = [int(n) for n in q.shape]
        indices = list(INDICES[: len(extents)])
        texts = []
        firsts = list(q.lower) or [1] * len(extents)
        for (name, one), rank in zip(reversed(levels), reversed(ranks), strict=True):
            mine, indices = indices[:rank], indices[rank:]
            lowers, firsts = firsts[:rank], firsts[rank:]
            if one is symbol:
                lowers = [1] * rank
            inside = ", ".join(f"{i} + ({low})" for i, low in zip(mine, lowers, strict=True))
            texts.append(f"{name}({inside})" if rank else name)
        place = "1"
        for index, extent in zip(
            reversed(INDICES[: len(extents)]), reversed(extents), strict=True
        ):
            place = index if place == "1" else f"({place})*{extent} + {index}"
        return "%".join(reversed(texts)), f"{place} + 1", extents


def looped(text: str, extents: list[int]) -> list[str]:
    """A statement for all elements."""
    heads = [f"do {index} = 0, {extent - 1}"
             for index, extent in zip(INDICES, extents, strict=False)]  # fmt: skip
    return [*heads, text, *(["end do"] * len(heads))]
