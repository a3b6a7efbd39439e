"""The list of mutations fits the translator: see mutations/run.py, which breaks the rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.mutations import seen
from port.mutations.run import Rule, rules

import bridge_port

PORT = Path(bridge_port.__file__).parent
RULES = rules()


@pytest.mark.parametrize("file", sorted({rule.file for rule in RULES}))
def test_each_rule_stands_once_in_its_file(file: str) -> None:
    text = (PORT / file).read_text()
    its = [rule for rule in RULES if rule.file == file]
    lost = [rule.says for rule in its if text.count(rule.there) != 1]
    assert not lost, "edit or drop these in tests/port/mutations/rules"
    for rule in its:
        broken = rule.broken(text)
        assert broken != text
        compile(broken, file, "exec")


def test_each_room_has_tests_of_texts() -> None:
    """A folder that moves takes them with it: else its rules survive unseen."""
    assert {rule.file.partition("/")[0] for rule in RULES} == seen.TEXTS.keys()
    words = [word.partition("::")[0] for its in seen.TEXTS.values() for word in its]
    files = {word for word in words if word.startswith("test_")}
    assert not [name for name in files if not Path(__file__).with_name(name).exists()]


def test_rules_have_words_of_their_own() -> None:
    said = [(rule.file, rule.says) for rule in RULES]
    assert len(said) == len({*said})


def test_a_broken_rule_is_another_text() -> None:
    rule = Rule("values.py", "one more", "x + 1", "x - 1")
    assert rule.module == "bridge_port.values"
    assert rule.broken("y = x + 1\n") == "y = x - 1\n"
    with pytest.raises(AssertionError, match="2 times"):
        rule.broken("x + 1, x + 1")
