"""The list of broken promises fits the package: see broken.py, which breaks them."""

from __future__ import annotations

import ast

import pytest
from proof.broken import ROOT, Break, breaks

BREAKS = breaks()


@pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.what)
def test_what_is_broken_stands_once_in_its_file(one: Break) -> None:
    text = (ROOT / one.file).read_text()
    broken = one.broken(text)
    assert broken != text
    if one.file.endswith(".py"):
        compile(broken, one.file, "exec")


@pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.what)
def test_its_tests_are_there(one: Break) -> None:
    assert one.tests
    for test in one.tests:
        file, _, name = test.partition("::")
        if (ROOT / file).is_dir():
            continue
        tree = ast.parse((ROOT / file).read_text())
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not name or name.partition("[")[0] in names, test


def test_what_is_broken_has_words_of_its_own() -> None:
    assert len({one.what for one in BREAKS}) == len(BREAKS)


def test_a_break_is_another_text() -> None:
    one = Break("one more", "bridge/values.py", "x + 1", "x - 1", ("tests/proof",))
    assert one.broken("y = x + 1\n") == "y = x - 1\n"
    with pytest.raises(AssertionError, match="2 times"):
        one.broken("x + 1, x + 1")
