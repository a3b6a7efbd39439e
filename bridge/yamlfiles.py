"""YAML texts, read in one way: a key that stands twice in a mapping is refused.

YAML forbids it, and readers take the last one without a word. Every reader of the package comes
here; the parser is imported where a text is read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def load(text: str, texts_alone: bool = False) -> Any:
    """What the text holds; texts_alone: every scalar as it is written, a bare NO and 1e5 too.

    yaml.YAMLError says what is wrong with the text."""
    import yaml

    return yaml.load(text, Loader=_loader(texts_alone))


@lru_cache(maxsize=2)
def _loader(texts_alone: bool) -> Any:
    import yaml

    name = "BaseLoader" if texts_alone else "SafeLoader"
    base: Any = getattr(yaml, f"C{name}", getattr(yaml, name))

    class Loader(base):  # type: ignore[misc]
        """Looks at the whole document before values are made: a merge (<<) puts the keys of
        another mapping before those that stand there, and these replace them by right."""

        def get_single_node(self) -> Any:
            node = super().get_single_node()
            self._refuse_twice(node, set())
            return node

        def _refuse_twice(self, node: Any, seen: set[int]) -> None:
            if id(node) in seen:
                return
            seen.add(id(node))
            if isinstance(node, yaml.SequenceNode):
                for item in node.value:
                    self._refuse_twice(item, seen)
            if not isinstance(node, yaml.MappingNode):
                return
            lines: dict[Any, int] = {}
            for key, value in node.value:
                for part in (key, value):
                    self._refuse_twice(part, seen)
                if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
                    continue
                name, line = self.construct_object(key), key.start_mark.line + 1
                if name in lines:
                    raise yaml.YAMLError(
                        f"the key {key.value!r} stands twice in a mapping, in lines {lines[name]} "
                        f"and {line}"
                    )
                lines[name] = line

    return Loader
