"""Of the original, a text whose number the kernel gives."""

from __future__ import annotations

from bridge_port.kernel import Quantity
from bridge_port.output.hostdata import text_statement


def numbered(
    q: Quantity, name: str, local: str, length: int | None, head: list[str], body: list[str],
    after: list[str],
) -> None:  # fmt: skip
    """Of a text whose number the kernel gives: -1 of one that it has no number of."""
    length = length if length is not None else max(map(len, q.texts)) + 8
    number, nothing = f"{name}(1, zz_point)", f"repeat('~', {length})"
    head.append(f"  character(len={length}) :: {local}")
    body.append(f"{local} = {nothing}")
    after += [f"{number} = -1", f"if ({local} == {nothing}) {number} = 0"]
    for n, text in enumerate(q.texts, 1):
        after += ["block", f"character(len={max(len(text), 1)}) :: zz_text",
                  text_statement("zz_text", text),
                  f"if ({local} == zz_text) {number} = {n}", "end block"]  # fmt: skip
