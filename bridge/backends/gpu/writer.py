"""The lines of one launch: loads of the inputs, a variable for every slot, the kernels' calls in
the plan's order, stores of the wanted outputs.

Behind `source`, on consecutive points of flat memory; `boxsource` says where points of a box lie.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bridge.backends.gpu.placement import Placement
from bridge.kernels import file
from bridge.kernels.cpu.generate_launchers import line_of
from bridge.plan.plan import Loop, Step

#: Elements of memory in C++.
KINDS = {"float64": "double", "float32": "float", "int32": "int"}

#: What compilers call the text.
NAME = "bridge.cu"

# Behind a line that a compiler is told to take for one of a user's header: back to the text.
BACK = f'#line 0 "{NAME}"'


def numbered(text: str) -> str:
    """The text with the number of the next line in every directive that leads back to it."""
    if BACK not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip() == BACK:
            lines[number - 1] = BACK.replace("0", str(number + 1), 1)
    return "\n".join(lines)


@cache
def foreign(header: Path) -> bool:
    """Whether a header is not the package's."""
    return not header.resolve().is_relative_to(file("point.h").parent.resolve())


class Writer:
    """Lines of one kernel.

    step: from a thread's first point to its second; leave: how a thread ends a point that is
    masked, "" where it does not; plain: whether compilers know what is not written.
    """

    step = "step"
    leave = "return"
    plain = False

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self._plan = placement.plan
        self.bound = list(dict.fromkeys((*self._plan.inputs, *self._plan.outputs)))

    # ---- the caller's memory ------------------------------------------------------------

    def members(self) -> list[str]:
        """struct Arguments: address, stride of the columns, factor."""
        lines = []
        for name in self.bound:
            const = "" if name in self._plan.outputs else "const "
            lines.append(f"{const}{self._element(name)}* {name};")
            if self.placement.columns(name) > 1:
                lines.append(f"long long {name}_stride;")
            if self.placement.access(name).scaled:
                lines.append(f"double {name}_scale;")
        return [*lines, *(f"const TableData* {name};" for name in self._plan.tables)]

    def _element(self, name: str) -> str:
        """What the caller's memory of a quantity holds."""
        return KINDS[self.placement.access(name).dtype]

    def _elements(self, name: str) -> str:
        """Points of a thread and, where it is no double, the element of a quantity's memory."""
        points, element = self.placement.policy.points, self._element(name)
        return f"{points}" if element == "double" else f"{points}, {element}"

    def start(self, name: str) -> str:
        """Where column 0 of the first point lies."""
        return f"arguments.{name}"

    def place(self, name: str) -> str:
        """Where column 0 of the thread's point lies."""
        return f"{self.start(name)} + point"

    def target(self, name: str) -> str:
        """Where an output's column 0 of the thread's point goes."""
        return self.place(name)

    def stride(self, name: str) -> str:
        """Elements from column to column."""
        return f"arguments.{name}_stride"

    def argument(self, step: Step, place: int) -> str:
        """What a kernel gets as its argument of this number."""
        return self._variable(step.slots[place])

    # ---- lines ------------------------------------------------------------------------------

    def body(self) -> list[str]:
        lines = ["extern __shared__ double tile[];"] if self.placement.tiled else []
        lines += self.memory()
        mask = self._plan.mask
        if mask is not None:  # first of all: most often a point that is masked has neighbours
            lines += self._declare(mask)
            if self.leave and not self.placement.together:
                lines.append(f"if (!any({self._variable(mask)} != Bits<Real>(0))) {self.leave};")
        for index in range(len(self._plan.slots)):
            if index != mask and index not in self.placement.around_alone:
                lines += self._declare(index)
        last = self.placement.last
        for index, name in self.placement.wanted.items():
            if self._plan.slots[index].zero and index not in last:
                lines += self._store(index, name)  # a status word that no kernel writes
        for item in self._plan.steps:
            if isinstance(item, Loop):
                lines.append(f"for (int turn = 0; turn < {item.limit}; ++turn) {{")
                lines.append(f"    if (all({self._variable(item.done)} != Bits<Real>(0))) break;")
                for step in item.steps:
                    lines += [f"    {line}" for line in self._call(step)]
                lines.append("}")
                made = {index for step in item.steps for index in self.placement.outputs(step)}
                lines += self._stores(made, before=item)
            else:
                lines += self._call(item)
                lines += self._stores(set(self.placement.outputs(item)), before=item)
        for index, name in self.placement.wanted.items():
            if index in last:  # where an input lies, which kernels have read to the end
                lines += self._store(index, name)
        for index, name in self.placement.copies:
            lines += self._store(index, name)
        return lines

    def memory(self) -> list[str]:
        """The thread's own memory beside registers, one array."""
        numbers = self.placement.private_bytes // 8
        return [f"Real own[{numbers}];"] if numbers else []

    def _variable(self, index: int) -> str:
        return f"{self._plan.slots[index].name}_{index}"

    def _declare(self, index: int) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        kind = "Bits<Real>" if slot.dtype == "int32" else "Real"
        points = self.placement.policy.points
        if index in self.placement.given:
            return self._load(index, self.placement.given[index])
        if self.placement.kind(index) == "1":
            return [f"{kind} {variable} = 0;" if slot.zero else f"{kind} {variable};"]
        if index in self.placement.tiled:
            pitch = self.placement.policy.pitch
            place = f"tile + {self.placement.places[index] * pitch} + threadIdx.x"
            return [f"TileColumns<{points}, {pitch}> {variable} = {{{place}}};"]
        if index in self.placement.direct:
            name = self.placement.wanted[index]
            stride = self.stride(name) if slot.columns > 1 else "0"
            place = f"{self.target(name)}, {stride}, {self.step}"
            if index in self.placement.words:
                element = self._element(name)
                return [f"OutWords<{points}, {element}> {variable} = {{{place}}};"]
            form = self._elements(name)
            return [f"OutColumns<{form}> {variable} = {{{place}}};"]
        if index in self.placement.private:
            return [f"Real* const {variable} = own + {self.placement.places[index]};"]
        return [f"{kind} {variable}[{max(slot.columns, 1)}];"]

    def _load(self, index: int, name: str) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        access = self.placement.access(name)
        place, points = f"arguments.{name}", self.placement.policy.points
        own, step = (self.start(name), "0") if access.constant else (self.place(name), self.step)
        if self.placement.kind(index) == "1":
            if slot.dtype == "int32":
                return [f"const Bits<Real> {variable} = loadWord<{points}>({own}, {step});"]
            factor = f" * {place}_scale" if access.scaled else ""
            return [f"const Real {variable} = load<{points}>({own}, {step}){factor};"]
        stride = self.stride(name) if slot.columns > 1 else "0"
        columns = f"{{{own}, {stride}, {step}}}"
        if index in self.placement.words:
            element = self._element(name)
            return [f"const WordColumns<{points}, {element}> {variable} = {columns};"]
        form = self._elements(name)
        kind = "PlainColumns" if self.plain else "Columns"
        if access.scaled:
            return [f"const Scaled{kind}<{form}> {variable} = {{{columns}, {place}_scale}};"]
        return [f"const {kind}<{form}> {variable} = {columns};"]

    def _stores(self, made: set[int], before: Step | Loop) -> list[str]:
        """Stores of wanted outputs that have their final value."""
        place = self._plan.steps.index(before)
        later: set[int] = set()
        for item in self._plan.steps[place + 1 :]:
            for step in item.steps if isinstance(item, Loop) else (item,):
                later.update(self.placement.outputs(step))
        lines = []
        for index, name in self.placement.wanted.items():
            kept = index in self.placement.direct or index in self.placement.last
            if index in made and index not in later and not kept:
                lines += self._store(index, name)
        return lines

    def _store(self, index: int, name: str) -> list[str]:
        slot, variable = self._plan.slots[index], self._variable(index)
        access = self.placement.access(name)
        place, step = self.target(name), self.step
        where = "" if self._plan.mask is None else f"{self._variable(self._plan.mask)}, "
        scale = f", arguments.{name}_scale" if access.scaled else ""
        if self.placement.kind(index) == "1":
            return [f"store({where}{place}, {step}, {variable}{scale});"]
        kind = "Bits<Real>" if slot.dtype == "int32" else "Real"
        if slot.columns <= 1:
            value = f"{kind}({variable}[0]){scale}"
            return [f"store({where}{place}, {step}, {value});"] if slot.columns else []
        unroll = "" if self.placement.policy.unroll else " 4"
        return [
            f"#pragma unroll{unroll}",
            f"for (int i = 0; i < {slot.columns}; ++i) "
            f"store({where}{place} + i * {self.stride(name)}, {step}, "
            f"{kind}({variable}[i]){scale});",
        ]

    def _table(self, name: str) -> str:
        rank, place = self.placement.catalogue.table(name).rank, f"arguments.{name}"
        return f"Table<Real, {rank}>({place}->data, {place}->size)"

    def _call(self, step: Step) -> list[str]:
        """One kernel; an input that the kernel also rewrites in place is handed over as a copy."""
        kernel = self.placement.catalogue.kernel(step.kernel)
        before, names = [], []
        outputs = self.placement.outputs(step)
        for place, index in enumerate(step.slots):
            variable = self.argument(step, place)
            if place < len(kernel.inputs) and index in outputs:
                before.append(f"const auto {variable}_in = {variable};")
                variable += "_in"
            names.append(variable)
        tables = [self._table(table) for table in step.tables]
        calls = self.calls(step, ", ".join(["shared", *tables, *names]))
        return calls if not before else ["{", *(f"    {line}" for line in (*before, *calls)), "}"]

    def calls(self, step: Step, arguments: str) -> list[str]:
        """A kernel's function with its arguments."""
        name = step.kernel
        if self.placement.on_tensors(step):
            name = name.replace("Fused", "Tensor")
        return self.function(step, name, arguments)

    def function(self, step: Step, name: str, arguments: str) -> list[str]:
        """A function of a kernel's header, by its full name: a pack may give it that of a variable
        of the launch."""
        header = self.placement.catalogue.kernel(step.kernel).header
        calls = [f"BRIDGE_NAMESPACE::{name}<Real>({arguments});"]
        if foreign(header):  # an error of the call is one of the function's arguments
            calls = [line_of(header.resolve(), rf"\b{name}\s*\("), *calls, BACK]
        return calls
