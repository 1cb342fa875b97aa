"""Namespaces of Rust that a function and a module of one name share.

Law: code in one of them does not have the names of the other (The Rust Reference, "Items"). The
symbols of v0 say in which an item is, and lines may: types and enumerators have neither.
"""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.base.cached import cached_property
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.items_of_functions import in_unknown_module
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.modules_of_rust import functions_of, is_of_module, kinds_around
from dwarfgpu.dwarf.scope.scope_entries import decl_line
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError


class SharedNamespaces:
    """What the namespaces around a function are of."""

    def __init__(
        self, function: Die, own: Sequence[Path], around_it: Path, infos: Sequence[DebugInfo]
    ) -> None:
        self._function, self._around_it, self._infos = function, around_it, infos
        self._own = own
        """The namespaces of the function itself."""

    def has(self, path: Path, meaning: Meaning) -> bool:
        """Return whether an item of a namespace may be of the function or module with the code, not
        of the other one of the name."""
        item = self._is_item_of_module(path, meaning)
        code = None if item is None else self._is_code_of_module(path)
        return code is None or code == item

    def may_be_of_function(self, path: Path, meaning: Meaning) -> bool:
        """Return whether the code or an item of a namespace may be in a function."""
        if not functions_of(path, self._infos):
            return False
        is_known = self._is_item_of_module(path, meaning) and self._is_code_of_module(path)
        return not is_known

    def may_be_of_module(self, path: Path, meaning: Meaning) -> bool:
        """Return whether an item of a namespace is at a line that may be in a module."""
        die = meaning.die if isinstance(meaning, Variable) else meaning
        has_line = decl_line(die) is not None and bool(functions_of(path, self._infos))
        return has_line and self._is_item_of_module(path, meaning) is not False

    def _is_code_of_module(self, path: Path) -> bool | None:
        return False if path in self._own else self._kinds.get(path)

    @cached_property
    def _kinds(self) -> dict[Path, bool]:
        """Whether the namespaces around the code are modules, of those that the file says it of."""
        kinds: dict[Path, bool] = {}
        try:
            if in_unknown_module(self._function) is None:
                for path, is_module in kinds_around(self._function, self._around_it, self._infos):
                    kinds[path] = is_module
        except DwarfGpuError:
            pass  # those further out are unknown, too
        return kinds

    def _is_item_of_module(self, path: Path, meaning: Meaning) -> bool | None:
        die = meaning.die if isinstance(meaning, Variable) else meaning
        try:
            return is_of_module(die, path, self._infos)
        except DwarfGpuError:
            return None
