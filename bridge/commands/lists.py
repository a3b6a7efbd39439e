"""Options that are lists: with blanks between their words, with commas, or with both."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any


class Listed(argparse.Action):
    """Words of `--ns 4 16`, `--ns 4,16` or `--ns 4, 16` as one list.

    convert: text into a value; ValueError where it is none; among: the values that may be.
    """

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        convert: Callable[[str], Any] = str,
        among: Sequence[Any] = (),
        **named: Any,
    ) -> None:
        named.setdefault("nargs", "+")
        super().__init__(option_strings, dest, **named)
        self._convert = convert
        self._among = among

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        found = []
        for word in " ".join(values).replace(",", " ").split():
            try:
                value = self._convert(word)
            except ValueError:
                raise argparse.ArgumentError(
                    self, f"invalid {self._convert.__name__} value: {word!r}"
                ) from None
            if self._among and value not in self._among:
                choices = ", ".join(map(repr, self._among))
                raise argparse.ArgumentError(
                    self, f"invalid choice: {word!r} (choose from {choices})"
                )
            found.append(value)
        if not found and self.nargs == "+":
            raise argparse.ArgumentError(self, "expected at least one argument")
        setattr(namespace, self.dest, found)
