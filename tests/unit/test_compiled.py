"""The modules that the build writes hold what their sources say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridge.backends.gpu import policytable
from bridge.kernels import file
from bridge.physics import speciestable
from bridge.physics.shared import shipped_tables
from bridge.plan import cataloguefiles
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import Declarations


def shipped(name: str) -> Path:
    return file("point.h").parents[1] / "data" / name


def test_species() -> None:
    assert speciestable.read(None) == speciestable.read(shipped("species.yaml"))


def test_tables() -> None:
    assert shipped_tables() == yaml.safe_load(shipped("tables.yaml").read_text())


def test_weights() -> None:
    weights = yaml.safe_load(shipped("atomic_weights.yaml").read_text())["weights"]
    assert speciestable.atomic_weights() == weights


def test_policies() -> None:
    assert policytable.shipped().rows == policytable.read(shipped("policies.yaml")).rows


def test_catalogue() -> None:
    from bridge.compiled.catalogue import CONTENT

    assert CONTENT == tomllib.loads(shipped_file().read_text())
    one, other = Declarations(), Declarations()
    cataloguefiles.read(shipped_file(), one)
    cataloguefiles.read_shipped(shipped_file(), other)
    assert one.kernels == other.kernels and one.quantities == other.quantities
    assert Catalogue.shipped().kernels.keys() == one.kernels.keys()


@pytest.mark.parametrize(
    "module, header", [("interface", "cpu/interface.h"), ("shared", "shared.h")]
)
def test_declarations(module: str, header: str) -> None:
    """The same functions and structures as a look at the header now."""
    import importlib

    import cffi

    compiled: Any = importlib.import_module(f"bridge.compiled.{module}").ffi
    text = file(header).read_text()
    parsed = cffi.FFI()
    parsed.cdef(text.split(f"/* begin {module} */")[1].split(f"/* end {module} */")[0])
    assert compiled.list_types() == parsed.list_types()
    for name in parsed.list_types()[1]:
        one, other = compiled.typeof(f"struct {name}"), parsed.typeof(f"struct {name}")
        if other.fields is None:
            assert one.fields is None
            continue
        members = [[(n, f.type.cname, f.offset) for n, f in t.fields] for t in (one, other)]
        assert members[0] == members[1]
        assert compiled.sizeof(one) == parsed.sizeof(f"struct {name}")
