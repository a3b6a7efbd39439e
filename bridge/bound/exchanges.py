"""Exchanges of boxes between blocks and ranks, planned once and done again and again.

Beside `datamovement`. What one rank sends to another in an exchange is one message; boxes that
stay in a rank are copied there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np

from bridge import log
from bridge.backends.base import Binding, BoxExchange, Condition, Message, NativeCall, address_of
from bridge.backends.transports import Offer, Transport
from bridge.bound.boundsets import BoundSets
from bridge.bound.pointsets import PointSet
from bridge.errors import ArgumentError, BridgeError, StateError
from bridge.mpi import Ranks
from bridge.plan.inputs import ALIASES
from bridge.prepared import GENERATION, Prepared, Repeated
from bridge.resident.boxes import refuse_shared
from bridge.resident.uses import MovedBoxes
from bridge.tvimpl import TVImpl

#: Bytes of a message: MPI counts them by a C int.
MOST_BYTES = 2**31 - 1
#: Tags of MPI that every library has; each exchange has one.
MOST_EXCHANGES = 32767


@dataclass(frozen=True)
class Signature:
    """What has to be alike of a box that goes and the one that takes it. extent: its points along
    the axes; arrays: type and elements of each; of no box both are empty."""

    extent: tuple[int, ...] = ()
    arrays: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, box: Sequence[int], boxes: Sequence[MovedBoxes]) -> Signature:
        if not boxes:
            return cls()
        ends = zip(box[::2], box[1::2], strict=True)
        extent = (max(last - first + 1, 0) for first, last in ends)
        return cls(tuple(extent), tuple((one.dtype, one.elements) for one in boxes))

    def __str__(self) -> str:
        if not self.arrays:
            return "no box"
        arrays = ", ".join(f"{elements} of {dtype}" for dtype, elements in self.arrays)
        return f"a box of {' x '.join(map(str, self.extent))} points ({arrays})"


class Line(NamedTuple):
    """A box that goes to a rank and one that takes what comes from it. tag: pairs it with a line
    of that rank; blocks: numbers from 1 through all sets, 0 for no box."""

    number: int
    peer: int
    tag: int
    send_block: int
    send_box: tuple[int, ...]
    recv_block: int
    recv_box: tuple[int, ...]


class Block(NamedTuple):
    """A block of a set; number: from 0, None in a set of one block."""

    set: PointSet
    number: int | None

    def __str__(self) -> str:
        of = "" if self.number is None else f", block {self.number + 1}"
        return f"set '{self.set.name}'{of}"


@dataclass
class Ends:
    """The boxes of a line, of all arrays: as they go and as they come."""

    line: Line
    sent: list[MovedBoxes]
    received: list[MovedBoxes]

    def signatures(self) -> tuple[Signature, Signature]:
        line = self.line
        return Signature.of(line.send_box, self.sent), Signature.of(line.recv_box, self.received)


class PreparedExchange(Repeated):
    """Boxes that were looked up, and what moves them; good until a change of one of the sets."""

    def __init__(self, name: str, of: Sequence[Prepared], ends: Sequence[Ends]) -> None:
        super().__init__()
        self.boxes: BoxExchange | None = None
        self.sent = [one for end in ends for one in end.sent]
        self.received = [one for end in ends for one in end.received]
        self.of = of
        self._made_for = [array("q", (one.generation,)) for one in of]
        for one in of:
            one.of(PreparedExchange)[name] = self

    def valid(self) -> bool:
        """Whether nothing has changed since."""
        pairs = zip(self.of, self._made_for, strict=True)
        return all(one.generation == was[0] for one, was in pairs)

    def conditions(self) -> tuple[Condition, ...]:
        """Of an exchange that Python need not see."""
        pairs = zip(self.of, self._made_for, strict=True)
        size = array("q").itemsize
        good = (
            Condition(address_of(one.state) + GENERATION * size, address_of(was), (one, was))
            for one, was in pairs
        )
        return (*good, *(one for boxes in self.received for one in boxes.conditions()))

    def forget(self) -> None:
        super().forget()
        if self.boxes is not None and not self.boxes.begun:
            self.boxes.close()


@dataclass
class Exchange:
    """What was planned by a name. tag, transport: of its messages; signatures: of each line; made:
    None before it is first looked up, and for one that a change has made void."""

    name: str
    sets: str
    arrays: list[str]
    lines: list[Line]
    tag: int
    transport: Transport
    signatures: list[tuple[Signature, Signature]] = field(default_factory=list)
    made: PreparedExchange | None = None

    @property
    def begun(self) -> bool:
        return self.made is not None and self.made.boxes is not None and self.made.boxes.begun


class Exchanges:
    """All exchanges of a Frame. asked: how messages between GPUs go, the setting `exchange`;
    patience: seconds of a wait until a line of the log names the ranks that are late, 0 for no
    such line."""

    def __init__(
        self, impl: TVImpl, bound: BoundSets, ranks: Ranks, asked: str, patience: float
    ) -> None:
        self._impl = impl
        self._bound = bound
        self._ranks = ranks
        self._asked = asked
        self._patience = patience
        self._planned: dict[str, Exchange] = {}
        bound.exchanges = self

    # ---- planning -----------------------------------------------------------------------------

    def plan(
        self, name: str, sets: str, arrays: str, peers: Any, tags: Any, send_blocks: Any,
        send_boxes: Any, recv_blocks: Any, recv_boxes: Any,
    ) -> None:  # fmt: skip
        """Make an exchange ready; collective where the Frame has a communicator.

        sets, arrays: names, separated by blanks; every array moves. Blocks are numbered from 1
        through all sets in their order. Each of n lines: box send_boxes[m] of block
        send_blocks[m] goes to rank peers[m] (less than 0: the line moves nothing), and box
        recv_boxes[m] of block recv_blocks[m] takes what the line of the same tag on that rank
        sends here; block 0: no box. Within a rank two lines of one tag take from each other, a
        single one from itself. Boxes: (n, 6), i1, i2, j1, j2, k1, k2 as of a pack; all sizes (n).

        ArgumentError: a rank, block, box or tag is wrong, on each rank; boxes of two ranks have
        other sizes. StateError: the program has ranks, and the Frame has no communicator.
        """
        lines: list[Line] = []
        found: list[Ends] = []

        def look() -> Any:
            lines.extend(
                self._lines(peers, tags, send_blocks, send_boxes, recv_blocks, recv_boxes)
            )
            old = self._planned.get(name)
            if old is not None and old.begun:
                raise StateError(f"frame_exchange_plan of '{name}', which is under way")
            found.extend(self._ends(name, sets, arrays.split(), lines))
            self._refuse_shared(name, sets, lines)
            self._refuse_large(found)
            lengths = [(one.line.peer, one.line.tag, *one.signatures()) for one in found]
            return name, arrays.split(), lengths, self._offer(found)

        for rank, each in enumerate(values := self._agreed(look)):
            if each[:2] != values[0][:2]:
                got = f"'{each[0]}' of arrays '{' '.join(each[1])}' on rank {rank}"
                wanted = f"'{values[0][0]}' of '{' '.join(values[0][1])}', as on rank 0"
                raise ArgumentError("name", got, wanted)
        self._match(name, [each[2] for each in values])
        offers = [each[3] for each in values]
        transport = self._impl.backend.transport(offers, self._ranks.communicator)
        old = self._planned.pop(name, None)
        if old is None and len(self._planned) >= MOST_EXCHANGES:
            raise StateError(f"frame_exchange_plan: {MOST_EXCHANGES} exchanges are planned")
        tag = len(self._planned) if old is None else old.tag
        if old is not None and old.made is not None:
            old.made.forget()
        exchange = Exchange(name, sets, arrays.split(), lines, tag, transport)
        exchange.signatures = [one.signatures() for one in found]
        self._planned[name] = exchange
        self._make(exchange, found)

    def _agreed(self, look: Callable[[], Any]) -> list[Any]:
        """What each rank has, on all of them; what fails on one rank fails on all."""
        communicator = self._ranks.communicator
        if communicator is None:
            if self._ranks.size > 1:
                raise StateError(
                    "frame_exchange_plan is of the ranks of a communicator, and the Frame of this "
                    f"program of {self._ranks.size} ranks has none: give one to frame_initialize"
                )
            return [look()]
        found, error = None, None
        try:
            found = look()
        except BaseException as raised:
            error = raised
        return communicator.agreed(error, found)

    def _offer(self, ends: Sequence[Ends]) -> Offer:
        """What this rank has for messages with others."""
        other = [one for one in ends if one.line.peer != self._me]
        boxes = [*_parts(other, "sent"), *_parts(other, "received")]
        return self._impl.backend.offer(self._asked, boxes, self._ranks.communicator)

    @property
    def _me(self) -> int:
        communicator = self._ranks.communicator
        return 0 if communicator is None else communicator.rank

    @property
    def _size(self) -> int:
        communicator = self._ranks.communicator
        return 1 if communicator is None else communicator.size

    def _lines(
        self, peers: Any, tags: Any, send_blocks: Any, send_boxes: Any, recv_blocks: Any,
        recv_boxes: Any,
    ) -> Iterator[Line]:  # fmt: skip
        """Those that move something."""
        n = len(np.atleast_1d(np.asarray(peers)))
        columns = {
            "peers": _integers("peers", peers, (n,)),
            "tags": _integers("tags", tags, (n,)),
            "sendBlocks": _integers("sendBlocks", send_blocks, (n,)),
            "sendBoxes": _integers("sendBoxes", send_boxes, (n, 6)),
            "recvBlocks": _integers("recvBlocks", recv_blocks, (n,)),
            "recvBoxes": _integers("recvBoxes", recv_boxes, (n, 6)),
        }
        seen: dict[tuple[int, int], list[int]] = {}
        for m in range(n):
            peer, tag, send, sent, receive, received = (one[m] for one in columns.values())
            if peer < 0:
                continue
            if peer >= self._size:
                wanted = f"a rank, 0 to {self._size - 1}, or less than 0 for none"
                raise ArgumentError(f"peers({m + 1})", int(peer), wanted)
            numbers = seen.setdefault((int(peer), int(tag)), [])
            numbers.append(m + 1)
            if len(numbers) > (2 if peer == self._me else 1):
                got = f"{int(tag)}, as of line {numbers[0]} to the same rank {int(peer)}"
                wanted = "each tag once with a rank, and twice within this one"
                raise ArgumentError(f"tags({m + 1})", got, wanted)
            yield Line(
                m + 1, int(peer), int(tag), int(send), tuple(sent.tolist()), int(receive),
                tuple(received.tolist()),
            )  # fmt: skip

    def _blocks(self, sets: str) -> list[Block]:
        found: list[Block] = []
        for name in sets.split():
            point_set = self._bound.set_of(name)
            if point_set.of_blocks:
                blocks = point_set.any_binding.blocks
                assert blocks is not None
                found += [Block(point_set, number) for number in range(blocks.count)]
            else:
                found.append(Block(point_set, None))
        if not found:
            raise ArgumentError("sets", repr(sets), "names of sets, separated by blanks")
        return found

    def _ends(
        self, name: str, sets: str, arrays: Sequence[str], lines: Sequence[Line]
    ) -> Iterator[Ends]:
        """The boxes of each line, looked up."""
        blocks = self._blocks(sets)
        if not arrays:
            raise ArgumentError("arrays", "no name", "names of arrays, separated by blanks")
        call = f"frame_exchange of '{name}'"

        def boxes(side: str, at: int, number: int, box: tuple[int, ...]) -> list[MovedBoxes]:
            if not number:
                return []
            if not 0 < number <= len(blocks):
                wanted = f"the number of a block, 1 to {len(blocks)}, or 0 for none"
                raise ArgumentError(f"{side}Blocks({at})", number, wanted)
            block, which = blocks[number - 1], np.array(box, np.int32).tobytes()
            found = []
            for each in arrays:
                bound = block.set.bound(ALIASES.get(each, each))
                try:
                    found.append(
                        self._impl.residency.boxes(
                            call, block.set.name, bound, which, False, block.number
                        )
                    )
                except ArgumentError as error:
                    raise ArgumentError(
                        f"{side}Boxes(:, {at})", f"{error.got}, of {block}", error.wanted
                    ) from error
            return found

        for line in lines:
            at = line.number
            sent = boxes("send", at, line.send_block, line.send_box)
            received = boxes("recv", at, line.recv_block, line.recv_box)
            for one in received:
                one.refuse_read_only()
            yield Ends(line, sent, received)

    def _refuse_shared(self, name: str, sets: str, lines: Sequence[Line]) -> None:
        """ArgumentError where two boxes of a block that take values have points in common."""
        for number, block in enumerate(self._blocks(sets), start=1):
            mine = [line.recv_box for line in lines if line.recv_block == number]
            if len(mine) > 1:
                listed = np.array(mine, np.int32).tobytes()
                refuse_shared(listed, f"{block}, in exchange '{name}'")

    def _refuse_large(self, ends: Sequence[Ends]) -> None:
        """ArgumentError where a message is too large."""
        for peer in {one.line.peer for one in ends} - {self._me}:
            mine = [one for one in ends if one.line.peer == peer]
            for argument, which in (("sendBoxes", "sent"), ("recvBoxes", "received")):
                size = sum(one.bytes for end in mine for one in getattr(end, which))
                if size > MOST_BYTES:
                    got = f"{size} bytes in the message of this rank and rank {peer}"
                    raise ArgumentError(argument, got, f"at most {MOST_BYTES}")

    def _match(self, name: str, ranks: Sequence[Sequence[Any]]) -> None:
        """ArgumentError where what a rank sends is not what the other one expects: the same on
        all ranks, which see the same lines."""
        for rank, lines in enumerate(ranks):
            for peer, tag, sent, _ in lines:
                if peer == rank:
                    continue
                theirs = [one for one in ranks[peer] if one[:2] == (rank, tag)]
                if not theirs:
                    got = f"none on rank {peer} for rank {rank} and tag {tag}"
                    raise ArgumentError("tags", f"{got} in exchange '{name}'", "a line there too")
                _refuse_other_sizes(name, rank, peer, tag, sent, theirs[0][3])
            inside = [one for one in lines if one[0] == rank]
            for number, (_, tag, sent, received) in enumerate(inside):
                others = [one for n, one in enumerate(inside) if n != number and one[1] == tag]
                takes = others[0][3] if others else received
                _refuse_other_sizes(name, rank, rank, tag, sent, takes)

    # ---- what moves them ------------------------------------------------------------------------

    def _make(self, exchange: Exchange, ends: Sequence[Ends]) -> PreparedExchange:
        """Find the messages, and their memory."""
        impl, me = self._impl, self._me
        of = {id(one.set): one.set.prepared for one in self._blocks(exchange.sets)}
        made = PreparedExchange(exchange.name, [*of.values()], ends)
        messages = []
        for peer in sorted({one.line.peer for one in ends} - {me}):
            mine = [one for one in ends if one.line.peer == peer]
            mine.sort(key=lambda one: one.line.tag)  # the order of the message on both ranks
            messages.append(Message(peer, _parts(mine, "sent"), _parts(mine, "received")))
        inside = [one for one in ends if one.line.peer == me]
        takers = []
        for one in inside:
            others = [two for two in inside if two is not one and two.line.tag == one.line.tag]
            takers.append(others[0] if others else one)
        kept = Message(me, _parts(inside, "sent"), _parts(takers, "received")) if inside else None
        communicator = self._ranks.communicator
        mpi = communicator.point_to_point() if communicator is not None and messages else None
        made.boxes = impl.backend.exchange(
            messages, kept, mpi, exchange.tag, self._patience, exchange.transport
        )
        exchange.made = made
        return made

    def _found(self, name: str) -> Exchange:
        found = self._planned.get(name)
        if found is None:
            known = ", ".join(f"'{one}'" for one in self._planned) or "none"
            raise ArgumentError("name", repr(name), f"an exchange that was planned ({known})")
        return found

    def _prepared(self, exchange: Exchange) -> PreparedExchange:
        """Its boxes, looked up anew after a change: they have to have the sizes that the ranks
        agreed on."""
        made = exchange.made
        if made is not None and made.valid():
            return made
        name = exchange.name
        ends = list(self._ends(name, exchange.sets, exchange.arrays, exchange.lines))
        for end, agreed in zip(ends, exchange.signatures, strict=True):
            if end.signatures() != agreed:
                raise StateError(
                    f"frame_exchange of '{name}': boxes of line {end.line.number} have other "
                    "sizes since arrays were bound anew: call frame_exchange_plan again, on all "
                    "ranks"
                )
        return self._make(exchange, ends)

    # ---- doing it -------------------------------------------------------------------------------

    def run(self, name: str) -> None:
        """Move all boxes."""
        with self._impl.timers["exchange"]:
            exchange = self._found(name)
            self._begin(exchange)
            self._wait(exchange)

    def begin(self, name: str) -> None:
        """Pack and send. Until `wait` the boxes that take values are the exchange's; all others
        may be read and written."""
        with self._impl.timers["exchange"]:
            self._begin(self._found(name))

    def wait(self, name: str) -> None:
        """Take what comes; StateError where the exchange has not begun."""
        with self._impl.timers["exchange"]:
            self._wait(self._found(name))

    def _refuse_begun(self, exchange: Exchange) -> None:
        if exchange.begun:
            raise StateError(
                f"exchange '{exchange.name}' is under way: call "
                f"frame_exchange_wait('{exchange.name}') first"
            )

    def _begin(self, exchange: Exchange) -> None:
        self._refuse_begun(exchange)
        made = self._prepared(exchange)
        label = f"frame_exchange of '{exchange.name}'"
        for one in made.sent:
            one.read(label)
        assert made.boxes is not None
        made.boxes.begin()

    def _wait(self, exchange: Exchange) -> None:
        made, name = exchange.made, exchange.name
        if made is None or made.boxes is None or not made.boxes.begun:
            raise StateError(f"exchange '{name}' has not begun: call frame_exchange_begin first")
        waited = self._patience
        while late := made.boxes.wait():
            ranks = ", ".join(map(str, late))
            me = self._ranks.rank
            log.say(f"rank {me}: exchange '{name}' has waited {waited:g} s for rank {ranks}")
            waited += self._patience
        for one in made.received:
            one.written(f"frame_exchange of '{name}'")

    # ---- for callers that are no Python ---------------------------------------------------------

    def repeatable(self, name: str) -> tuple[PreparedExchange, list[NativeCall]] | None:
        """What was done by this name, its begin and its wait; None where Python sees each."""
        exchange = self._planned.get(name)
        made = None if exchange is None else exchange.made
        if made is None or made.boxes is None or not made.valid():
            return None
        if not all(one.quiet for one in (*made.sent, *made.received)):
            return None
        both = made.boxes.natives()
        if both is None:
            return None
        begin, wait = both
        begin = begin._replace(conditions=(*begin.conditions, *made.conditions()))
        return made, [begin, wait]

    def go_on(self, name: str) -> None:
        """One that C has begun and not ended: it waits for a rank that is late, or has failed."""
        exchange = self._found(name)
        if exchange.begun:
            self._wait(exchange)
            return
        self.fail(name)

    def fail(self, name: str) -> NoReturn:
        """Raise why C could not begin one, or end it."""
        exchange = self._found(name)
        self._refuse_begun(exchange)
        made = exchange.made
        failed = None if made is None or made.boxes is None else made.boxes.failure()
        raise failed or BridgeError(f"frame_exchange of '{name}' failed, and does not say why")

    def lines(self) -> list[str]:
        """For a report: what each exchange moves from this rank, and how."""
        found = []
        for one in self._planned.values():
            boxes = None if one.made is None else one.made.boxes
            if boxes is not None:
                ranks = len({line.peer for line in one.lines} - {self._me})
                moved = f"{boxes.sent / 2**20:.2f} MiB to {ranks} ranks by {boxes.transport}"
                kept = f"{boxes.kept / 2**20:.2f} MiB within the rank"
                found.append(f"exchange '{one.name}': {moved}, {kept}")
        return found

    def refuse(self, what: str, set: str | None = None) -> None:
        """StateError where an exchange of this set, or of any, is under way."""
        for one in self._planned.values():
            if one.begun and (set is None or set in one.sets.split()):
                raise StateError(
                    f"{what} came while exchange '{one.name}' is under way: call "
                    f"frame_exchange_wait('{one.name}') first"
                )

    def close(self) -> None:
        """Those that are under way end."""
        for one in self._planned.values():
            if one.begun and one.made is not None and one.made.boxes is not None:
                late = one.made.boxes.wait()
                if late:
                    ranks = ", ".join(map(str, late))
                    log.say(f"warning: exchange '{one.name}' ends without rank {ranks}")
        self._planned.clear()


def _integers(argument: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    found = np.atleast_1d(np.asarray(values))
    if found.size == 0 and shape[0] == 0:
        return np.zeros(shape, np.int64)
    if found.dtype.kind not in "iu" or found.shape != shape:
        raise ArgumentError(
            argument, f"shape {found.shape} of {found.dtype}", f"integers, {shape}"
        )
    return found


def _parts(ends: Sequence[Ends], which: str) -> list[Binding]:
    """Boxes in the order of a message."""
    found = [place for end in ends for one in getattr(end, which) for place in one.places]
    return sorted(found, key=lambda part: -part.itemsize)


def _refuse_other_sizes(
    name: str, rank: int, peer: int, tag: int, sent: Signature, received: Signature
) -> None:
    if sent == received:
        return
    raise ArgumentError(
        "sendBoxes",
        f"{sent} from rank {rank} with tag {tag} in exchange '{name}'",
        f"{received}, as rank {peer} takes",
    )
