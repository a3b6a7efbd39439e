"""What the site needs beside the pages: hooks of MkDocs, named in mkdocs.yml.

Pages link to sources, which the site does not hold: there such a link is a path to read. Two pages
of the root are in the site too. Formulas become MathML, which browsers draw without a script. The
pages of docs/design and of docs/adr are put into the contents in the order in which the README of
each folder lists them.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
#: Files beside the pages that the site does not hold.
NOT_PAGES = {".py", ".json", ".txt"}
#: Pages of the root that the site has.
OF_ROOT = ("CONTRIBUTING.md", "CHANGELOG.md")
#: Folders whose pages are listed in their README.
FOLDERS = {"design", "adr"}
BLOCK_FORMULA = re.compile(r"^```math\n(.*?)^```$", re.S | re.M)
FORMULA = re.compile(r"\$`([^`]+)`\$")
DATE = re.compile(r"(?<=\| )\d{4}-\d\d-\d\d(?= \|)")
PRIME = re.compile(r"<msup>(<mi>[^<]*</mi>)<mi>(&#x0203[2-4];)</mi></msup>")
CODE = re.compile(r"`[^`\n]+`")
ROW = re.compile(r"^\|.*\|$", re.M)
LISTING = re.compile(r"<pre.*?</pre>", re.S)
CODE_OF_TEXT = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
#: What a line must not break at a hyphen: an option, the name of a file.
HYPHENED = re.compile(r"(?<!\S)(?=\S{1,40}(?!\S))\S*-\S*")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Pages of a folder in place of its name in the contents, their list first."""
    config["nav"] = _with(config["nav"])
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Pages of the root beside those of the folder."""
    for name in OF_ROOT:
        files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def _formula(text: str, display: str = "inline") -> str:
    """A prime stands high in its font already: it is an operator, no script."""
    return PRIME.sub(
        r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', convert(text, display=display)
    )


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
    markdown = BLOCK_FORMULA.sub(lambda m: f"<div>{_formula(m[1], 'block')}</div>", markdown)
    markdown = FORMULA.sub(lambda m: f"<span>{_formula(m[1])}</span>", markdown)
    # A bar is escaped in the cell of a table, and the escape shows in code.
    markdown = ROW.sub(lambda row: CODE.sub(lambda m: m[0].replace("\\|", "|"), row[0]), markdown)
    markdown = DATE.sub(lambda m: f'<span class="date">{m[0]}</span>', markdown)
    path = Path(page.file.abs_src_path)
    if path.name in OF_ROOT and path.parent == ROOT:  # items indented by three, and close
        markdown = re.sub(r"^(?= {3})", " ", markdown, flags=re.M)
        markdown = re.sub(r"^(?=\d+\. )", "\n", markdown, flags=re.M)
    folder, here = path.parent, dirname(page.file.src_uri) or "."

    def told(link: re.Match[str]) -> str:
        text, target, anchor = link.groups()
        if "://" in target:
            return link[0]
        path = (folder / target).resolve()
        place = _place(path)
        if place:
            return f"[{text}]({relpath(place, here)}{anchor or ''})"
        if not path.exists() or not path.is_relative_to(ROOT):
            return link[0]  # MkDocs warns
        shown = str(path.relative_to(ROOT))
        if text.strip("`") in shown:
            return f"`{shown}`"
        in_brackets = link.string[link.end() : link.end() + 1] == ")"
        return f"{text}: `{shown}`" if in_brackets else f"{text} (`{shown}`)"

    return LINK.sub(told, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Options and names of files in the text do not break at a hyphen."""

    def whole(text: re.Match[str]) -> str:
        return HYPHENED.sub(lambda m: f'<span class="whole">{m[0]}</span>', text[0])

    parts, end = [], 0
    for listing in LISTING.finditer(html):
        parts += [CODE_OF_TEXT.sub(whole, html[end : listing.start()]), listing[0]]
        end = listing.end()
    return "".join(parts) + CODE_OF_TEXT.sub(whole, html[end:])


def _place(path: Path) -> str | None:
    """Where the site has a file; nothing where it has not."""
    if path.parent == ROOT and path.name in OF_ROOT:
        return path.name
    if path.parent == DOCS and path.name in FOLDERS:
        return f"{path.name}/README.md"
    if path.is_relative_to(DOCS) and path.suffix not in NOT_PAGES and path.is_file():
        return path.relative_to(DOCS).as_posix()
    return None
