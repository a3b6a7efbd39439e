"""The parser of every command line of the package, and the files that commands write.

A leaf. What is wrong is said as in `errors`: the argument, what came, what is wanted, and the name
that was probably meant.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from bridge.errors import ArgumentError, InconsistentError

_CHOICE = re.compile(r"argument (.+?): invalid choice: '?(.*?)'? \(choose from (.*)\)", re.DOTALL)
_VALUE = re.compile(r"argument (.+?): invalid (int|float) value: '(.*)'", re.DOTALL)
_FEW = re.compile(r"argument (.+?): expected (one|\d+|at least one) arguments?")
_MISSING = "the following arguments are required: "
_WANTED = {"int": "a whole number, such as 1000", "float": "a number, such as 2.5"}
#: Files that matplotlib draws.
PICTURES = (".png", ".pdf", ".svg")
#: Options that a message repeats.
FEW = 6
#: Lines of usage that are still read above a message.
_SHORT = 4


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that knows near names. Its subcommands have parsers of the same class."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """A subcommand refuses what it does not know itself: the message is then its own."""
        self._given = list(sys.argv[1:] if args is None else args)
        found, unknown = super().parse_known_args(self._given, namespace)
        if unknown:
            self.error(self._unknown(unknown))
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Say it in the words of `errors`, with the usage where that is short; exit status 2."""
        usage = self.format_usage()
        if usage.count("\n") <= _SHORT:
            sys.stderr.write(usage)
        told = self._told(message)
        full = "--help-all" if "--help-all" in self._option_string_actions else "--help"
        self.exit(2, f"{self.prog}: {told}\n`{self.prog} {full}` has every option\n")

    def _told(self, message: str) -> str:
        match = _CHOICE.fullmatch(message)
        strange = self._strange() if match or message.startswith(_MISSING) else []
        if strange:  # its value was taken for another argument, or the rest is missing with it
            return self._unknown(strange)
        if match:
            name, got, choices = match.groups()
            known = [choice.strip().strip("'") for choice in choices.split(",")]
            wanted = f"one of {', '.join(known)}{near(got, known)}"
            return f"argument {name}: got {got!r}, wanted {wanted}"
        if match := _VALUE.fullmatch(message):
            name, kind, got = match.groups()
            return f"argument {name}: got {got!r}, wanted {_WANTED[kind]}"
        if match := _FEW.fullmatch(message):
            return message + self._dashed(match[1])
        if message.startswith(_MISSING):
            return f"argument {message.removeprefix(_MISSING)}: got nothing, it is required"
        return message

    def _dashed(self, name: str) -> str:
        """How a value is written that begins with "-", where one follows the option."""
        for word, value in zip(self._given, self._given[1:], strict=False):
            for option in name.split("/"):  # or the beginning of it
                if word[:1] == "-" and option.startswith(word) and value.startswith("-"):
                    return f"; a value that begins with - is written {option}={value!r}"
        return ""

    def _strange(self) -> list[str]:
        """Words that look like options and are none, up to a subcommand."""
        found = []
        for word in self._given:
            if word == "--" or (self._subparsers is not None and word[:1] != "-"):
                break
            name = word.partition("=")[0]
            known = any(
                option.startswith(name) or (len(option) == 2 and name.startswith(option))
                for option in self._option_string_actions
            )
            if not known and re.match("-[^0-9.]", word):
                found.append(word)
        return found

    def _unknown(self, words: Sequence[str]) -> str:
        word = words[0]
        known = [
            action.option_strings[-1]
            for action in self._actions
            if action.option_strings and action.help != argparse.SUPPRESS
        ]
        own = [option for option in known if option != "--help"]
        has = f"; the options are {', '.join(own)}" if 0 < len(own) <= FEW else ""
        if word[:1] == "-" and len(word) > 1:
            name = word.partition("=")[0]
            return f"there is no option {name}{near(name, known) or has}"
        return f"got {word!r}, wanted no further argument{has}"


def near(name: str, known: Iterable[str]) -> str:
    """What was probably meant, as the end of a message; "" where nothing is near."""
    lower = {one.lower().lstrip("-"): one for one in known}
    found = get_close_matches(name.lower().lstrip("-"), lower, 1, 0.65)
    return f"; did you mean {lower[found[0]]}?" if found else ""


def writable(argument: str, path: str | None) -> None:
    """Refuse a file that cannot be written before the work whose results it is to have.

    argument: the option; path: None where it was not given.
    """
    if path is None:
        return
    folder = os.path.dirname(path) or "."
    why = ""
    if os.path.isdir(path):
        why = "is a folder"
    elif not os.path.exists(folder):
        why = f"there is no folder {folder}"
    elif not os.path.isdir(folder):
        why = f"{folder} is a file"
    elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
        why = "no permission to write"
    if why:
        raise ArgumentError(argument, f"{path!r} ({why})", "a file that can be written")


def drawable(argument: str, path: str) -> None:
    """Refuse a picture that nothing can draw, before the work that it is to show."""
    from importlib.util import find_spec

    if os.path.splitext(path)[1].lower() not in PICTURES:
        raise ArgumentError(argument, repr(path), f"a file that ends in {', '.join(PICTURES)}")
    if find_spec("matplotlib") is None:
        raise InconsistentError(
            argument,
            "matplotlib, which draws pictures, is not installed",
            "pip install matplotlib",
        )
