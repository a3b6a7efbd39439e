"""What a ported kernel stands for: the shipped composite in whose place it runs, and the shipped
quantities whose values its arguments hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bridge.errors import ArgumentError
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import close_names
from bridge_port.kernel import Kernel, Quantity, Standing


def standing(kernel: Kernel, composite: str, stands: Mapping[str, str]) -> Kernel:
    """The kernel, in the place of the composite ("" of none). stands: quantity by argument;
    arguments that are named as a quantity of the composite, but for case and _, stand for it.
    ArgumentError where one is not known."""
    if not composite and not stands:
        return kernel
    shipped = Catalogue.load([shipped_file()])
    own = {q.argument: q for q in (*kernel.inputs, *kernel.outputs)}
    known: dict[str, str] = {}
    if composite:
        if composite not in shipped.composites:
            wanted = close_names("a shipped composite", composite, shipped.composites)
            raise ArgumentError("--replace", repr(composite), wanted)
        found = shipped.composites[composite]
        near: dict[str, list[str]] = {}
        for name in (*found.inputs, *found.outputs):
            near.setdefault(_plain(name), []).append(name)
        known = {a: near[_plain(a)][0] for a in own if len(near.get(_plain(a), ())) == 1}
    for argument, name in stands.items():
        if argument not in own:
            wanted = f"an argument of {kernel.procedure.name}: {', '.join(own)}"
            raise ArgumentError("--stand", f"{argument}={name}", wanted)
        if name not in shipped.quantities:
            raise ArgumentError("--stand", f"{argument}={name}", shipped.suggest(name))
        known[argument] = name
    units = {name: shipped.quantities[name].unit for name in known.values()}

    def taken(q: Quantity) -> Quantity:
        name = known.get(q.argument, "")
        return replace(q, stands=name, unit=units[name]) if name else q

    kernel.inputs = [taken(q) for q in kernel.inputs]
    kernel.outputs = [taken(q) for q in kernel.outputs]
    if composite:
        made = {q.stands for q in kernel.outputs}
        without = tuple(name for name in shipped.composites[composite].outputs if name not in made)
        kernel.replaces = Standing(composite, without)
    return kernel


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
