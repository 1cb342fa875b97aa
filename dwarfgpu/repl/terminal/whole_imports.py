"""Packages that Ctrl-C must not leave half loaded: the process cannot load them a second time.

Law: an interrupt while such a package is loaded arrives when it has been loaded.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from threading import Timer
from types import ModuleType
from typing import TYPE_CHECKING, Final

from dwarfgpu.repl.terminal.kept_interrupts import interrupts_kept

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

PACKAGES: Final = frozenset({"numpy"})
"""With modules in C that refuse to be loaded twice."""
_LATER_SECONDS: Final = 0.02


class WholeImports:
    """Finds packages, as the other finders do, and loads them whole."""

    def __init__(self, packages: frozenset[str] = PACKAGES) -> None:
        self._packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what loads a package; None for any other module."""
        if name not in self._packages:
            return None
        for finder in sys.meta_path:
            if isinstance(finder, WholeImports):  # another prompt of this process may have its own
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _WholeLoader(spec.loader)  # type: ignore[assignment]  # as `importlib` uses it
                return spec
        return None


class _WholeLoader:
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module and its specification name the loader that knows its files.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        with interrupts_kept() as kept:
            self._loader.exec_module(module)
        if kept:  # raised here, it would undo the import
            Timer(_LATER_SECONDS, signal.raise_signal, (signal.SIGINT,)).start()


def load_whole() -> None:
    """Load the packages whole from now on, where they are not loaded yet."""
    is_prepared = any(isinstance(finder, WholeImports) for finder in sys.meta_path)
    if not is_prepared and not sys.modules.keys() >= PACKAGES:
        sys.meta_path.insert(0, WholeImports())
