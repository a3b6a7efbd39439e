"""The command of `bridge port` for each nest that translates."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bridge_port import options
from bridge_port.survey.found import Found, Nest
from bridge_port.survey.survey import Options, Survey


def reading(paths: Sequence[str], given: Options) -> list[str]:
    """How the files of a survey are read, as options of the command: its folders are searched
    for modules, procedures and included files."""
    folders = dict.fromkeys([*given.folders, *(p for p in paths if Path(p).is_dir())])
    own = Namespace(
        folders=[*folders], more=given.more, defines=given.defines, fixed=given.fixed_form,
        width=given.width, private=sorted(given.private),
    )  # fmt: skip
    return options.words(own, options.OPTIONS)


def nests(survey: Survey, found: Found) -> Iterator[tuple[tuple[int, int], str]]:
    """Lines and command of each nest of a procedure: its whole body, or those in it."""
    if found.body != (0, 0):
        yield found.body, of_lines(survey, found, found.body, found.fixed, found.optional)
    for nest in found.nests:
        if text := of_nest(survey, found, nest):
            yield nest.lines, text


def of_nest(survey: Survey, found: Found, nest: Nest) -> str:
    """ "" of one that does not translate, or whose nests stand in what it calls."""
    if nest.work is None or nest.inside or nest.file != found.file:
        return ""
    return of_lines(survey, found, nest.lines, nest.fixed, nest.optional)


def of_lines(
    survey: Survey, found: Found, lines: tuple[int, int], fixed: Mapping[str, int],
    optional: Sequence[str],
) -> str:  # fmt: skip
    """ "" where they stand in a file that another one includes."""
    if found.file != found.source:
        return ""
    first, last = lines
    source = f"{found.file}:{first}" + (f"-{last}" if last > first else "")
    values = {**found.given, **fixed}
    own = Namespace(value=[f"{name}={n}" for name, n in sorted(values.items())], present=optional)
    words = ["bridge", "port", source, *survey.reading, *options.words(own, options.OPTIONS)]
    return shlex.join([*words, "-o", f"packs/{Path(found.file).stem}"])
