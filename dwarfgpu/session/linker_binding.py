"""Where the dynamic linker of a process has bound the name of a variable that a library defines.

Law: the word that the linker wrote for the library's own code decides (System V ABI, "Global Offset
Table"): it is right for every scope. The list of loaded files does not say what dlopen(3) with
RTLD_LOCAL and dlmopen(3) do. Its order decides only if that word is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbols_by_name import (
    Interposable,
    UntypedSymbol,
    interposable,
    interposing,
    kind_of_symbol,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.thread_local import has_thread_local_storage, thread_pointer, tls_address
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import Target, ThreadModules
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.dynamic_relocations import LinkerSlot, is_program, linker_slots
from dwarfgpu.objfile.symbols import Symbol
from dwarfgpu.session.focused_names import FocusedNames


def bound_symbol(session: FocusedNames, variable: Variable) -> UntypedSymbol | None:
    """Return the definition that the code of a library uses for a variable that it defines, if that
    is in another file; None if it is where the library describes it."""
    kind = kind_of_symbol(variable)
    if kind is None:
        return None
    loaded = session.loaded_objects()
    library = interposable(loaded, variable, kind)
    if library is None:
        return None
    target = session.target
    has_words = target is not None and (
        not isinstance(target, TargetWithCodeObjects) or target.has_started
    )
    if library.binds_itself:
        return _seen_from(session, library, target if has_words else None)
    if target is None or not has_words:
        return interposing(loaded, library)
    slots = linker_slots(library.owner.file).get(library.name, ())
    if not slots:  # its code never asks the linker: only a program has copies of variables
        programs = [item for item in loaded[:1] if is_program(item.file)]
        return interposing((*programs, library.owner), library)
    words = _Words(session, target, library, library.owner)
    bound = words.bound(slots)
    return interposing(loaded, library) if bound is None else _in_another_file(bound, library)


def _seen_from(
    session: FocusedNames, library: Interposable, target: Target | None
) -> UntypedSymbol | None:
    """Return the definition that the file in focus uses in place of that of a library whose own
    code uses its own one, as after `-Bsymbolic`: a copy in the program, for example."""
    viewer = session.code_object
    if viewer is None or viewer is library.owner:
        return None
    own = viewer.file.exported_object(library.name, library.symbol.kind)
    slots = linker_slots(viewer.file).get(library.name, ())
    if own is not None:  # a variable of its own is another one
        is_copy = any(slot.kind == "copy" for slot in slots)
        return library.at(viewer, own) if is_copy else None
    bound = None if target is None else _Words(session, target, library, viewer).bound(slots)
    return None if bound is None else _in_another_file(bound, library)


def _in_another_file(bound: UntypedSymbol, library: Interposable) -> UntypedSymbol | None:
    """Return a definition; None if it is the library's own."""
    return None if bound == library.at(library.owner, library.symbol) else bound


class _Words:
    """What the linker wrote into a file for the name of a variable of a library."""

    def __init__(
        self, session: FocusedNames, target: Target, library: Interposable, file: CodeObject
    ) -> None:
        self._session = session
        self._target = target
        self._library = library
        self._file = file
        self._space = session.architecture.address_space(0)
        self._word_bytes = self._space.address_bits // 8

    def at(self, address: int) -> int:
        """Return the word at an address of the file; 0 if the linker has not written it, or it
        is unknown."""
        return self._loaded(self._file.load_address + address)

    def _loaded(self, address: int) -> int:
        wrapped = address & (1 << self._space.address_bits) - 1
        if wrapped + self._word_bytes > 1 << self._space.address_bits:
            return 0
        try:
            data = self._target.read_memory(Memory(self._space), wrapped, self._word_bytes)
        except Unavailable:
            return 0
        return int.from_bytes(data, self._session.architecture.endian)

    def bound(self, slots: Sequence[LinkerSlot]) -> UntypedSymbol | None:
        """Return the definition that slots say, the library's own first; None if they do not say
        one."""
        library = self._library
        if library.is_thread_local:
            chosen = self._of_thread(slots)
            return None if chosen is None else library.at(*chosen)
        own = library.at(library.owner, library.symbol)
        words = [self.at(slot.address) for slot in slots if slot.kind == "address"]
        bound = {address for address in words if address}
        bound = {address + library.displacement for address in bound}
        if own.address in bound:
            return own
        return UntypedSymbol(bound.pop(), is_code=False) if len(bound) == 1 else None

    def _of_thread(self, slots: Sequence[LinkerSlot]) -> tuple[CodeObject, Symbol] | None:
        """Return the thread-local definition that slots say, and its file; None if they do not."""
        definitions: list[tuple[CodeObject, Symbol]] = []
        for code_object in self._session.loaded_objects():
            symbol = code_object.file.exported_object(self._library.name, "thread_local")
            if symbol is not None:
                definitions.append((code_object, symbol))
        bound = (
            definition
            for slot in slots
            for definition in definitions
            if self._is_bound(slot, *definition)
        )
        return next(bound, None)

    def _is_bound(self, slot: LinkerSlot, code_object: CodeObject, symbol: Symbol) -> bool:
        """Return whether a slot says that the name is bound to a symbol of a file."""
        word, next_word = self.at(slot.address), self.at(slot.address + self._word_bytes)
        match slot.kind:
            case "displacement":
                return self._is_at(word, code_object, symbol)
            case "negative":
                return self._is_at(-word, code_object, symbol)
            case "descriptor":
                if not next_word or self._is_at(next_word, code_object, symbol):
                    return next_word != 0
                # The block of the file was allocated later.
                word, next_word = (
                    self._loaded(next_word + index * self._word_bytes) for index in (0, 1)
                )
        return next_word == symbol.address and self._is_module(word, code_object)

    def _is_module(self, number: int, code_object: CodeObject) -> bool:
        """Return whether a file may be the module with a number: a program has 1."""
        known = None
        if isinstance(self._target, ThreadModules):
            known = self._target.thread_local_module(code_object.file.path)
        if known is not None or not number:
            return number == known
        program = self._session.loaded_objects()[0]
        if not has_thread_local_storage(program.file):
            return code_object is not program
        return (number == 1) == (code_object is program)

    def _is_at(self, displacement: int, code_object: CodeObject, symbol: Symbol) -> bool:
        """Return whether a thread-local variable is so far from the thread pointer."""
        wave = self._session.wave
        if not displacement:
            return False
        try:
            address = tls_address(code_object.file, symbol.address, wave, self._target)
            pointer = thread_pointer(code_object.file, wave, self._target)
        except DwarfGpuError:
            return False
        return not (address - pointer - displacement) & (1 << self._space.address_bits) - 1
