"""Where the values of a launch are placed: registers, shared memory, local or device memory.

Between a plan and `source`, which writes the declarations. A slot of the plan is an input in the
caller's memory, a register, a column of the tile in shared memory, memory of a thread's own, or an
output written straight into the caller's memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.backends.gpu.layout import SharedLayout
from bridge.backends.gpu.policy import Policy
from bridge.backends.scratch import lives, offsets
from bridge.plan.catalogue import Catalogue
from bridge.plan.columns import several
from bridge.plan.plan import Plan, Step


@dataclass(frozen=True)
class Access:
    """How a launch reads and writes the memory of one bound quantity.

    dtype: of the memory, which is converted (`base.check_types`); scaled: whether a factor
    is applied: inputs are multiplied by it, outputs divided; constant: whether every point reads
    the same place; position: whether it is no memory but the number of the point along an axis;
    shared: whether what is read here is written too, under another name.
    """

    dtype: str
    scaled: bool = False
    constant: bool = False
    position: bool = False
    shared: bool = False


class Placement:
    """The places of a plan's slots.

    given: inputs, slot -> name; wanted: outputs that are no inputs, slot -> name; copies: outputs
    that are values of an input or of another output, (slot, name); last: wanted ones whose memory
    is an input's too, written behind all kernels; around_alone: inputs that kernels read at
    neighbours and none reads otherwise; tiled, direct, private: slots in shared memory, in the
    caller's memory, in a thread's own; words: those with several integers per point, which are in
    none of these but the caller's; all others are
    registers. places: of the tiled and the private, in columns; tile_bytes, private_bytes: of a
    thread for one point; together: whether all threads of a block have to work.
    """

    def __init__(
        self,
        plan: Plan,
        catalogue: Catalogue,
        layout: SharedLayout,
        access: Mapping[str, Access],
        policy: Policy,
    ) -> None:
        self.plan = plan
        self.catalogue = catalogue
        self.policy = policy
        self._layout = layout
        self._access = access
        self.given = {index: name for name, index in plan.inputs.items()}
        self.wanted: dict[int, str] = {}
        self.copies: list[tuple[int, str]] = []
        for name, index in plan.outputs.items():
            if index in self.given or index in self.wanted:
                if plan.inputs.get(name) != index:
                    self.copies.append((index, name))
            else:
                self.wanted[index] = name
        self.last = {index for index, name in self.wanted.items() if self.shared(name)}
        read = {*plan.at_points, plan.mask, *(index for index, _ in self.copies)}
        self.around_alone = {index for index in plan.around if index not in read}
        self.words = {
            index
            for index, slot in enumerate(plan.slots)
            if slot.dtype == "int32" and self.kind(index) != "1"
        }
        self.together = any(self.on_tensors(step) for step in self.plan.every_step())
        self.tiled = self._tiled_slots()
        self.direct = self._direct_slots()
        # Loops over several values of each species are not unrolled: no array that they index
        # becomes registers.
        rolled = any(several(self.kind(index)) for index in range(len(plan.slots)))
        self.private = set() if policy.unroll and not rolled else self._private_slots()
        self.places: dict[int, int] = {}
        self.tile_bytes = self._lay_out(self.tiled)
        self.private_bytes = self._lay_out(self.private)

    @property
    def tile(self) -> int:
        """Bytes of shared memory of a block."""
        return self.tile_bytes * self.policy.pitch

    # ---- what a writer asks for --------------------------------------------------------------

    def columns(self, name: str) -> int:
        return self.plan.slots[self._slot(name)].columns

    def access(self, name: str) -> Access:
        return self._access.get(name, Access(self.plan.slots[self._slot(name)].dtype))

    def shared(self, name: str) -> bool:
        """Whether memory that kernels read as they go is written as well."""
        plan = self.plan
        rewritten = name in plan.inputs and plan.outputs.get(name, plan.inputs[name])
        both = rewritten is not False and rewritten != plan.inputs[name]
        return self.access(name).shared or (both and self.kind(self._slot(name)) != "1")

    def kind(self, index: int) -> str:
        """The catalogue's word for the columns of a slot."""
        return self.catalogue.quantity(self.plan.slots[index].name).columns

    def outputs(self, step: Step) -> tuple[int, ...]:
        return step.slots[len(self.catalogue.kernel(step.kernel).inputs) :]

    def on_tensors(self, step: Step) -> bool:
        """Whether a kernel has a body for tensor cores here, which wants X in shared memory."""
        has = self.policy.tensor and self._layout.has_tiles
        if not has or step.kernel != "chungMixtureDiffusionFused":
            return False
        return step.slots[self.catalogue.kernel(step.kernel).inputs.index("X")] not in self.given

    def _slot(self, name: str) -> int:
        return self.plan.inputs[name] if name in self.plan.inputs else self.plan.outputs[name]

    # ---- which slots live where --------------------------------------------------------------

    def _over_pairs(self, kernel: str) -> bool:
        any_kij = bool(self._layout.constants["anyKij"])
        which = self.catalogue.kernel(kernel)
        return self.policy.over_pairs(which, any_kij)

    def _tiled_slots(self) -> set[int]:
        tiled: set[int] = set()
        for step in self.plan.every_step():
            if self.policy.tile_all:
                tiled.update(index for index in step.slots if self.kind(index) == "ns")
            elif self._over_pairs(step.kernel):
                kernel = self.catalogue.kernel(step.kernel)
                tiled.update(step.slots[n] for n in self.policy.tiled(self.catalogue, kernel))
        return tiled - set(self.given) - self.words

    def _direct_slots(self) -> set[int]:
        """Arrays written straight into the caller's memory: nothing reads them afterwards, or
        they are too long for anything else. None where points are masked. Work of a search,
        several values of each species, is none: the addresses of its columns there would take
        the registers that its kernel needs."""
        if self.plan.mask is not None:
            return set()
        read = {index for index, _ in self.copies}
        for step in self.plan.every_step():
            read.update(step.slots[: len(self.catalogue.kernel(step.kernel).inputs)])
        return {
            index
            for index, name in self.wanted.items()
            if self.kind(index) != "1"
            and not several(self.kind(index))
            and index not in self.tiled
            and index not in self.last
            and (index not in read or self.kind(index) in ("pairs", "ns*ns"))
            and not self.access(name).scaled
            and (self.access(name).dtype != "float32" or self.plan.singles)
        }

    def _private_slots(self) -> set[int]:
        """Arrays over species that are neither given, in shared memory nor the caller's."""
        used = {index for step in self.plan.every_step() for index in step.slots}
        return {
            index
            for index in used - set(self.given) - self.tiled - self.direct - self.words
            if self.kind(index) != "1"
        }

    def _lay_out(self, which: set[int]) -> int:
        """Places, in columns, of arrays that share memory where their lives allow; its bytes.

        NVRTC 13.0 has done the same to arrays that were alive (two arrays of a loop's body over
        two of the function's), so it is given one array, in which nothing is left to decide.
        """
        slots = self.plan.slots
        living = [
            life if index in which else (0, -1) for index, life in enumerate(lives(self.plan))
        ]
        places, length = offsets([8 * slot.columns for slot in slots], living)
        self.places |= {index: places[index] // 8 for index in which}
        return length
