"""Modules from one archive instead of a file for each: what BRIDGE_BUNDLE names.

`bridge bundle` puts the code of this module into the archive, and interpreter.c runs it before
anything of the package is imported; so it imports only what Python itself has imported by then.

An archive is MARK, a hash of what follows, and a marshalled tuple: magic number of the bytecode,
code of this module, facts, and {name: (code, file, is a package)}, marshalled on its own; code is
None for an extension module.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader

TYPE_CHECKING = False  # typing is imported later, from the archive
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    Modules = dict[str, tuple[bytes | None, str, bool]]


class Bundled:
    """Finder and loader. bridge_entry_points: whether a distribution of the environment had kernel
    packs when the archive was made."""

    def __init__(self, modules: Modules, entry_points: bool) -> None:
        self.modules = modules
        self.bridge_entry_points = entry_points

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        found = self.modules.get(name)
        if found is None:
            return None
        code, file, package = found
        if code is None:
            spec = ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        else:
            spec = ModuleSpec(name, self, origin=file, is_package=package)  # type: ignore[arg-type]
            if package:
                spec.submodule_search_locations = [os.path.dirname(file)]
        spec.has_location = True
        return spec

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name: str) -> CodeType:
        code = self.modules[name][0]
        assert code is not None
        made: CodeType = marshal.loads(code)
        return made

    def get_resource_reader(self, name: str) -> Any:
        from importlib.machinery import SourceFileLoader
        from importlib.readers import FileReader

        return FileReader(SourceFileLoader(name, self.modules[name][1]))


def stamps() -> list[tuple[str, int]]:
    """The folders of packages, and when something was last installed into them."""
    folders = (path for path in sys.path if path.endswith("-packages"))
    return [(path, os.stat(path).st_mtime_ns) for path in folders if os.path.isdir(path)]


def use(facts: dict[str, Any], modules: Modules) -> None:
    """Import from the archive from now on; ImportError where the environment is another one than
    the archive was made in, or was changed since."""
    if facts["prefix"] != sys.prefix:
        raise ImportError(f"it was made in {facts['prefix']}: run 'bridge bundle' of this one")
    if facts["stamps"] != stamps():
        raise ImportError("packages were installed since it was made: run 'bridge bundle' again")
    sys.meta_path.insert(0, Bundled(modules, facts["entry_points"]))
