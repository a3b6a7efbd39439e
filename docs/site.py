"""What the site needs beside the pages: hooks of MkDocs, named in mkdocs.yml.

Pages link to sources, which the site does not hold: there such a link is a path to read. Formulas
become MathML, which browsers draw without a script. The pages of docs/design and of docs/adr are
put into the contents in the order in which the README of each folder lists them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
#: Files beside the pages that the site does not hold.
NOT_PAGES = {".py", ".json", ".txt"}
#: Folders whose pages are listed in their README.
FOLDERS = {"design", "adr"}
BLOCK_FORMULA = re.compile(r"^```math\n(.*?)^```$", re.S | re.M)
FORMULA = re.compile(r"\$`([^`]+)`\$")
DATE = re.compile(r"(?<=\| )\d{4}-\d\d-\d\d(?= \|)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Pages of a folder in place of its name in the contents, their list first."""
    config["nav"] = _with(config["nav"])
    return config


def _pages(folder: str) -> list[str]:
    listed = LINK.findall((DOCS / folder / "README.md").read_text(encoding="utf-8"))
    pages = [page for _, page, _ in listed if "/" not in page]
    return [f"{folder}/{page}" for page in ["README.md", *pages]]


def _with(contents: Any) -> Any:
    if isinstance(contents, list):
        return [_with(part) for part in contents]
    if isinstance(contents, dict):
        return {
            name: _pages(part) if str(part) in FOLDERS else _with(part)
            for name, part in contents.items()
        }
    return contents


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Links to sources as paths, formulas as MathML; a page without headings needs no contents."""
    if not re.search(r"^(## |::: )", markdown, re.M):
        page.meta["hide"] = ["toc"]
    markdown = BLOCK_FORMULA.sub(
        lambda m: f"<div>{convert(m[1], display='block')}</div>", markdown
    )
    markdown = FORMULA.sub(lambda m: f"<span>{convert(m[1])}</span>", markdown)
    markdown = DATE.sub(lambda m: f'<span class="date">{m[0]}</span>', markdown)
    folder = Path(page.file.abs_src_path).parent

    def told(link: re.Match[str]) -> str:
        text, target, _ = link.groups()
        if "://" in target:
            return link[0]
        path = (folder / target).resolve()
        if path.is_relative_to(DOCS) and path.suffix not in NOT_PAGES and path.is_file():
            return link[0]
        if path.parent == DOCS and path.name in FOLDERS:
            return (
                f"[{text}]({'../' * (len(folder.relative_to(DOCS).parts))}{path.name}/README.md)"
            )
        if not path.exists() or not path.is_relative_to(ROOT):
            return link[0]  # MkDocs warns
        shown = str(path.relative_to(ROOT))
        return f"`{shown}`" if text.strip("`") in shown else f"{text} (`{shown}`)"

    return LINK.sub(told, markdown)
