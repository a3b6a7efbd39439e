"""The text of a fingerprint, how it is found again in a file, and what differs between two.

    bridge fingerprint 1
    version: 0.9
    target: x86-64-v4
    ...
    digest: 3fa94c11d0b2e7a6

One part a line; the digest is of the lines between the first and the last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bridge import caches
from bridge.errors import ArgumentError

HEAD = "bridge fingerprint 1"
_FOUND = re.compile(rb"([^\n]*)bridge fingerprint 1[ \r]*\n(.*?)digest: ([0-9a-f]{16})", re.DOTALL)

_LAST_BITS = "results differ in their last bits"
#: What a difference means, by the first word of a part's name.
MEANING = {
    "version": "another version of the package: results may differ in any way its changes say",
    "python": "another Python: results are the same unless constants are rounded otherwise",
    "numpy": "another NumPy, which computes species constants: they may differ in the last bit",
    "backend": _LAST_BITS,
    "target": f"another instruction set or GPU architecture: {_LAST_BITS}",
    "device": "another GPU: the same bits where the target is the same",
    "cuda": f"another compiler or driver of the GPU: {_LAST_BITS}",
    "launch": f"kernels are launched together in another way: {_LAST_BITS} on a GPU",
    "policies": f"another table of launch policies: {_LAST_BITS} on a GPU",
    "kernels": "other sources of the kernels: results differ as these do",
    "catalogue": "other quantities, kernels or composites",
    "replaced": "a pack's kernel runs in place of a shipped composite in one of them",
    "pack": "other sources of a pack: what its kernels give differs",
    "option": "another model or correlation: results differ beyond rounding",
    "species": "other species, or in another order",
    "constants": "other constants of the species: results differ beyond rounding",
    "qlayout": "columns of Q mean other quantities",
    "constant": "another value of a constant of a pack: results differ beyond rounding",
    "tables": "other contents of tables of packs: results differ beyond rounding",
}


def text(parts: Mapping[str, str]) -> str:
    """The fingerprint as lines, the last one with a line feed."""
    lines = [f"{name}: {' '.join(value.split())}\n" for name, value in parts.items()]
    return f"{HEAD}\n{''.join(lines)}digest: {digest(parts)}\n"


def digest(parts: Mapping[str, str]) -> str:
    """Sixteen digits that fingerprints share which say the same."""
    lines = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in parts.items())
    return caches.sha256(lines.encode()).hex()[:16]


def parse(contents: bytes, argument: str, what: str) -> dict[str, str]:
    """The parts of the last fingerprint in a file's contents (a log, a restart file);
    ArgumentError where there is none or it is not whole. what: the file, for messages."""
    every = list(_FOUND.finditer(contents))
    if not every:
        raise ArgumentError(argument, what, f"a file with a line '{HEAD}' and those after it")
    found = every[-1]
    before = found[1].decode("utf-8", "replace")
    parts: dict[str, str] = {}
    for line in found[2].decode("utf-8", "replace").splitlines():
        name, colon, value = line.removeprefix(before).strip().partition(": ")
        if colon:
            parts[name] = value.strip()
    if digest(parts) != found[3].decode():
        got = f"{what}, whose fingerprint is cut or altered"
        raise ArgumentError(argument, got, "all its lines as they were written")
    return parts


def read(file: str, argument: str) -> dict[str, str]:
    """`parse` of a file."""
    try:
        contents = Path(file).read_bytes()
    except OSError as error:
        raise ArgumentError(argument, f"{file} ({error.strerror})", "a file to read") from None
    return parse(contents, argument, file)


def differences(a: Mapping[str, str], b: Mapping[str, str]) -> list[tuple[str, str, str, str]]:
    """Parts that differ: name, what each has, and what that means."""
    names = dict.fromkeys([*a, *b])
    return [
        (name, a.get(name, "none"), b.get(name, "none"), meaning(name))
        for name in names
        if a.get(name) != b.get(name)
    ]


def meaning(name: str) -> str:
    return MEANING.get(name.split()[0], "a part that this version does not know")


def told(a: Mapping[str, str], b: Mapping[str, str], of_a: str, of_b: str) -> str:
    """What differs, in words; "" where nothing does."""
    lines = []
    for name, mine, other, means in differences(a, b):
        lines.append(f"{name}: {means}\n  {of_a}: {mine}\n  {of_b}: {other}\n")
    return "".join(lines)
