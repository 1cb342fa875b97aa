"""Look up code object symbols by linker name, or by their whole demangled name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Final, NamedTuple

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects, code_object_at
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.scope.declarations import around, path_of
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, CLASSES, CONTAINERS, FUNCTIONS, code_ranges
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import Ambiguous, DwarfGpuError
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.objfile.dynamic_relocations import binds_itself, is_program
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbol_entries import SymbolKind
from dwarfgpu.objfile.symbols import Symbol

_AFTER_PARAMETERS: Final = pattern(r"(?: (?:const|volatile)| ?&&?| \[.*\])*")
"""Qualifiers of a member function and clones; of a variable in a function its name follows."""
_IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
_DATA: Final = ("object", "thread_local")
_MAX_KEPT: Final = 64
"""Names for which it is kept whether symbols have them."""
_ADDR: Final = 0x03
_INDEXED: Final = frozenset({0xA1, 0xFB})
"""DW_OP_addrx, and DW_OP_GNU_addr_index of split DWARF 4."""
AT_ADDRESS: Final = frozenset(bytes((code,)) for code in (_ADDR, *_INDEXED))
"""How the location of a variable begins that is at a fixed address."""
IN_THREAD: Final = frozenset({b"\x9b", b"\xe0"})
"""How that of a thread-local one ends: DW_OP_form_tls_address, and its GNU form."""
_NO_NAMES: Final = {
    "VTT", "bool", "char", "class", "const", "construction", "double", "float", "for", "guard",
    "in", "int", "lambda", "long", "name", "operator", "short", "signed", "std", "struct",
    "thunk", "to", "typeinfo", "unsigned", "variable", "virtual", "void", "volatile", "vtable",
}  # fmt: skip
"""Words of demangled names that mangled ones do not have."""


@frozen
class UntypedSymbol:
    """A symbol of a loaded file, without a type."""

    address: int
    """As loaded; of a thread-local variable, its offset in the storage of its file."""
    is_code: bool
    is_indirect: bool = False
    """Whether its code only chooses the function to be called (STT_GNU_IFUNC)."""
    thread_local_in: ObjectFile | None = None
    """The loaded file whose thread-local storage has it; None for an address."""
    is_absolute: bool = False
    """Whether its address is a number, without the load address of the file (SHN_ABS)."""


def symbol_files(code_object: CodeObject) -> tuple[ObjectFile, ...]:
    """Return the loaded file and, if it is another one, its separate debug file."""
    return tuple(dict.fromkeys((code_object.file, code_object.info.object)))


def symbol_of_variable(
    code_objects: Iterable[CodeObject], variable: Variable
) -> UntypedSymbol | None:
    """Return the symbol of a variable without a location. That of an external one is the one to
    which the dynamic linker binds its name: that of the first file that has one; else, as linkers
    make hidden symbols local, the only local one in the file of the variable. Another one may be
    thread-local. None if there is none, or its name is unknown; `Ambiguous` if the symbol may be of
    several source files.

    gcc describes no thread-local variable of AArch64 by a location, also none that other units
    cannot mean. Symbols of linker scripts and of assembly code (`extern char end[], _start[]`) may
    have no type, or that of a function.
    """
    name = _linkage_name(variable)
    if not variable.is_external:
        return None if name is None else _in_thread(code_objects, variable, name)
    if name is None and not variable.unit.is_cplusplus:
        return None
    # A static variable of C, or a variable of another file, has a name without a namespace, too.
    is_plain = variable.has_first_value and not (name or "").startswith("_Z")
    hidden: list[UntypedSymbol] = []
    for code_object in code_objects:
        is_own = code_object.info is variable.unit.info.main
        if is_plain and not is_own:
            continue
        for file in symbol_files(code_object):
            placed = [
                symbol
                for symbol in _symbols(file, variable, name)
                if symbol.is_in_section or symbol.is_absolute
            ]
            exported = sorted((item for item in placed if not item.is_local), key=_preference)
            if exported:
                file.require_versions(exported)
                return _as_loaded(code_object, file, exported[0])
            # If the variable was dropped, a local symbol is a static one of another unit.
            if is_own and variable.why_dropped is None and not is_plain:
                hidden += [_as_loaded(code_object, file, symbol) for symbol in placed]
    return hidden[0] if len(set(hidden)) == 1 else None


def _in_thread(
    code_objects: Iterable[CodeObject], variable: Variable, name: str
) -> UntypedSymbol | None:
    """Return the thread-local symbol of a variable that other units cannot mean: that of its name
    in its source file. `Ambiguous` where it is not known which one is of that file: of two files of
    one name, one has symbols of the unit's code; gcc's LTO names none. The only symbol of its name
    may be that of another file without debugging information.

    The symbols of static variables of functions have other names.
    """
    above = variable.die.parent()
    is_of_function = above is not None and above.tag in BLOCKS | FUNCTIONS
    if is_of_function or variable.why_dropped is not None:
        return None
    from dwarfgpu.dwarf.scope.local_instances import source_file  # few variables have no location

    source = source_file(variable.unit)
    code: tuple[Range, ...] = ()
    with suppress(DwarfGpuError):
        code = merged(code_ranges(variable.unit.linked.root))
    for code_object in code_objects:
        if code_object.info is not variable.unit.info.main:
            continue
        for file in symbol_files(code_object):
            in_source = file.locals_in_source(name, source, code)
            # gcc's LTO names some of several `x` `x.lto_priv.0`.
            symbols = in_source
            if symbols is None:
                symbols = file.symbols_named(name, f"{name}.")
            symbols = tuple(
                one
                for one in symbols
                if one.kind == "thread_local" and (one.is_local or _is_promoted(one))
            )
            if in_source is None and _is_of_link_time(file, variable, symbols):
                return _as_loaded(code_object, file, symbols[0])
            if in_source is None and symbols:
                why = f"not one source file alone is called {source} and has its code"
                if not file.has_source_symbol(source):
                    why = f"the symbol table does not name its source file {source}"
                raise Ambiguous(
                    f"{name} has no location, and which thread-local variable it is, is not known: "
                    f"{why}"
                )
            if len(symbols) == 1:
                return _as_loaded(code_object, file, symbols[0])
    return None


def _is_promoted(symbol: Symbol) -> bool:
    """Return whether a symbol is that of a static variable which gcc's LTO made hidden, as another
    one of the parts (partitions) that it compiles apart needs it."""
    return symbol.is_hidden and ".lto_priv." in symbol.name


def _is_of_link_time(file: ObjectFile, variable: Variable, symbols: Sequence[Symbol]) -> bool:
    """Return whether the only one of some symbols must be that of a variable of gcc's LTO: a unit
    written at link time, whose source file has no name, says that the variable remains, and the
    symbol is one of that unit, or of such units."""
    if len(symbols) != 1:
        return False
    from dwarfgpu.dwarf.scope.link_time import unlocated  # few variables have no location

    entry = unlocated(variable.die)
    if entry is None:
        return False
    [symbol] = symbols
    if _is_promoted(symbol):  # where the linker left out local ones, that of the variable, too
        return file.has_source_symbol("")
    code = merged(code_ranges(entry.unit.linked.root))
    return symbol in (file.locals_in_source(symbol.name, "", code) or ())


def _symbols(file: ObjectFile, variable: Variable, name: str | None) -> tuple[Symbol, ...]:
    """Return the symbols of a linkage name, or of the one that a variable of C++ must have."""
    if name is not None:
        return file.symbols_named(name, f"{name}@", with_untyped=True)
    from dwarfgpu.dwarf.scope.mangled_data import symbols_of_entry  # few declarations have no name

    return symbols_of_entry(file, variable.die)


def _preference(symbol: Symbol) -> tuple[bool, bool]:
    return symbol.kind not in _DATA, symbol.is_old_version


def unversioned(name: str) -> str:
    """Return the name of a symbol without its version: `f` for `f@V1` and `f@@V2`."""
    bare = name.partition("@")[0]
    return bare or name


@frozen
class Interposable:
    """A definition in a library, in whose place the dynamic linker may put that of another file."""

    owner: CodeObject
    """The library."""
    name: str
    """The linkage name, that of its block for a variable of a Fortran common block."""
    symbol: Symbol
    """The library's own definition."""
    displacement: int
    """How many bytes behind the symbol the variable begins: 0 outside of a common block."""
    binds_itself: bool
    """Whether the library's own code always means it."""

    @property
    def is_thread_local(self) -> bool:
        """Whether each thread has one."""
        return self.symbol.kind == "thread_local"

    def at(self, code_object: CodeObject, symbol: Symbol) -> UntypedSymbol:
        """Return the variable where a symbol of a file is its definition."""
        defined = _as_loaded(code_object, code_object.file, symbol)
        return evolve(defined, address=defined.address + self.displacement)


def kind_of_symbol(variable: Variable) -> SymbolKind | None:
    """Return what kind of symbol a dynamic linker may bind a variable to; None for a variable that
    other files cannot define, and for one whose location is no fixed one.

    Static variables of inline functions of C++ are the same in all files (C++ [dcl.inline]).
    """
    kind: SymbolKind = "object"
    if not _is_at_address(variable):
        from dwarfgpu.expr.thread_location import is_in_thread  # GPUs have no such variables

        if not is_in_thread(variable.location):
            return None
        kind = "thread_local"
    return kind if variable.is_external or _is_of_function(variable) else None


def interposable(
    code_objects: Sequence[CodeObject], variable: Variable, kind: SymbolKind
) -> Interposable | None:
    """Return the definition of a variable in a library to which a dynamic linker binds a name; None
    if it is in a program, whose definitions come first, or other files cannot mean it. `kind`: that
    of its symbol (`kind_of_symbol`)."""
    owner = next((item for item in code_objects if item.info is variable.unit.info.main), None)
    if owner is None or is_program(owner.file):
        return None
    try:
        own = _own_symbol(owner.file, variable, kind)
        if own is None:
            return None
        name = unversioned(own.name)
        displacement = fixed_number(variable, kind) - own.address if _block_of(variable) else 0
        is_own = own.is_protected or binds_itself(owner.file)
    except DwarfGpuError:
        return None
    return Interposable(owner, name, own, displacement, is_own)


def _own_symbol(file: ObjectFile, variable: Variable, kind: SymbolKind) -> Symbol | None:
    """Return the symbol by which other files mean a variable of a file."""
    block = _block_of(variable)
    if block is not None:
        name = block.linkage_name
        return None if name is None else file.exported_object(name, kind)
    # clang says that static variables of inline functions are external.
    if not _is_of_function(variable):
        name = _linkage_name(variable)
        return None if name is None else file.exported_object(name, kind)
    from dwarfgpu.dwarf.names.demangle import demangled_name  # few variables have only symbols

    for symbol in file.exported_at(fixed_number(variable, kind), kind):
        spelled = demangled_name(unversioned(symbol.name))
        if spelled is not None and spelled.rpartition("::")[2] == variable.name:
            return symbol
    return None


def _block_of(variable: Variable) -> Die | None:
    """Return the common block of Fortran that a variable is in."""
    above = variable.die.parent()
    return above if above is not None and above.tag == dw.TAG_COMMON_BLOCK else None


def _is_of_function(variable: Variable) -> bool:
    """Return whether a variable is declared in a function of C++."""
    above = variable.die.parent() if variable.unit.is_cplusplus else None
    return above is not None and above.tag in BLOCKS | FUNCTIONS


def interposing(code_objects: Sequence[CodeObject], library: Interposable) -> UntypedSymbol | None:
    """Return the definition to which the dynamic linker binds the name of one in a library, if an
    earlier file has it: the copy in the program, for example. None if the library's own is used.

    `code_objects`: in the order of the linker's list (System V ABI, "Shared Object Dependencies").
    """
    for code_object in code_objects:
        if code_object is library.owner:
            return None
        first = code_object.file.exported_object(library.name, library.symbol.kind)
        if first is not None:
            return library.at(code_object, first)
    return None


def _is_at_address(variable: Variable) -> bool:
    """Return whether the location of a variable is an address, in the code or by its index."""
    location = variable.location
    if not isinstance(location, ExprLoc) or not location.expression:
        return False
    code = location.expression
    size_bytes = variable.unit.format.address_size
    is_indexed = code[0] in _INDEXED and len(code) > 1 and all(byte & 128 for byte in code[1:-1])
    return is_indexed or (code[0] == _ADDR and len(code) == 1 + size_bytes)


def fixed_number(variable: Variable, kind: SymbolKind) -> int:
    """Return the address, or the offset in thread-local storage, that a location says, as the file
    has it; -1 if it cannot be said so."""
    location = variable.location
    assert isinstance(location, ExprLoc)
    if kind == "thread_local":
        from dwarfgpu.expr.thread_location import pushed_in_thread

        number = pushed_in_thread(location)
        return -1 if number is None else variable.unit.thread_offset(number)
    reader = Reader(location.expression, variable.unit.endian)
    if reader.u8() == _ADDR:
        return reader.unsigned(variable.unit.format.address_size)
    return location.unit.address(reader.uleb())


def _linkage_name(variable: Variable) -> str | None:
    """Return the linkage name of a variable; in a class or namespace, only the file can name it."""
    linked = variable.die.linkage_name
    if linked is not None:
        return linked
    above = variable.die.parent()
    if above is not None and above.tag in BLOCKS | FUNCTIONS:  # `extern int x;` in a function
        is_inside = any(scope.tag in CONTAINERS | CLASSES for scope in around(variable.die))
    else:
        is_inside = bool(path_of(variable.die))
    return None if is_inside else variable.name


def function_of_symbol(code_objects: Collection[CodeObject], name: str) -> Die | None:
    """Return the function whose code begins at the symbol of a name; None if none is described, or
    its description is unreadable."""
    symbol = untyped_symbol(code_objects, name)
    if symbol is None or not symbol.is_code or symbol.is_indirect:
        return None  # the code at an indirect function is not that of its name
    return function_at(code_objects, symbol.address)


def function_at(code_objects: Iterable[CodeObject], entry: int) -> Die | None:
    """Return the function whose code begins at an address, as loaded; None if none is described, or
    its description is unreadable."""
    owner = code_object_at(code_objects, entry)
    try:
        function = None if owner is None else owner.scopes.subprogram_at(entry)
    except DwarfGpuError:
        return None
    return function.die if function is not None and function.entry == entry else None


def untyped_symbol(code_objects: Collection[CodeObject], name: str) -> UntypedSymbol | None:
    """Return the symbol of a name, perhaps without its version: global symbols first, of the first
    file, and last a variable of C++ that has the name in its own file alone, or an ABI tag. None if
    no file defines one.

    Old versions of libraries come after the default ones of all files. In a program, `x@V1` may be
    its copy of a library's variable, to which all names are bound.
    """
    if not _has_symbol(as_code_objects(code_objects).in_load_order, name):
        return None
    candidates = list(_candidates(code_objects, name))
    if not candidates:
        return _mangled_data(code_objects, name)
    rank, code_object, file, symbol = min(candidates, key=lambda candidate: candidate[0])
    alike = (one for _, _, owner, one in candidates if owner is file)
    file.require_versions(one for one in alike if one.is_local == rank.is_local)
    return _as_loaded(code_object, file, symbol)


@kept_with(first, _MAX_KEPT)
def _has_symbol(code_objects: CodeObjects, name: str) -> bool:
    """Return whether files define a symbol of a name: each of thousands of waves may ask."""
    is_any = any(True for _ in _candidates(code_objects, name))
    return is_any or _mangled_data(code_objects, name) is not None


def untyped_variables(
    code_objects: Collection[CodeObject], name: str, *, is_full: bool
) -> Iterator[UntypedSymbol]:
    """Yield the variables of a name in symbol tables, all versions of it, by files and addresses;
    those of libraries only where the program has none in their place, unless the name has a
    version. One of C++ may be named without leading scopes, unless the name `is_full`."""
    # Few names are only those of symbols.
    from dwarfgpu.dwarf.names.function_paths import TypedPath
    from dwarfgpu.dwarf.scope.mangled_data import symbols_on_path

    path, is_of_version = TypedPath(name), "@" in name
    programs = [item.file for item in code_objects if is_program(item.file) and not is_of_version]
    for code_object in code_objects:
        loaded = []
        for file in symbol_files(code_object):
            plain = file.symbols_named(name, f"{name}@", with_untyped=True)
            for symbol in (*plain, *symbols_on_path(file, path, is_full=is_full)):
                is_defined = symbol.is_in_section or symbol.is_absolute
                if is_defined and not _is_replaced(symbol, code_object.file, programs):
                    loaded.append(_as_loaded(code_object, file, symbol))
        loaded.sort(key=lambda symbol: symbol.address)
        yield from (symbol for symbol in loaded if not symbol.is_code)


def _is_replaced(symbol: Symbol, file: ObjectFile, programs: Iterable[ObjectFile]) -> bool:
    """Return whether the dynamic linker binds the name of a library's variable to that of a
    program, such as the copy of it (R_X86_64_COPY, "copy relocation")."""
    if symbol.is_local or symbol.is_protected or is_program(file) or binds_itself(file):
        return False
    name = unversioned(symbol.name)
    return any(program.exported_object(name, symbol.kind) is not None for program in programs)


class _Rank(NamedTuple):
    """What decides between symbols of one name."""

    is_local: bool
    is_hidden: bool
    file_number: int
    is_old: bool


def _candidates(
    code_objects: Iterable[CodeObject], name: str
) -> Iterator[tuple[_Rank, CodeObject, ObjectFile, Symbol]]:
    for number, code_object in enumerate(code_objects):
        for file in symbol_files(code_object):
            for symbol in file.symbols_named(name, f"{name}@", with_untyped=True):
                if symbol.is_in_section or symbol.is_absolute:
                    is_old = symbol.is_old_version
                    is_hidden = is_old and not is_program(code_object.file)
                    rank = _Rank(symbol.is_local, is_hidden, number, is_old)
                    yield rank, code_object, file, symbol


def _mangled_data(code_objects: Iterable[CodeObject], name: str) -> UntypedSymbol | None:
    from dwarfgpu.dwarf.scope.mangled_data import symbols_outside_namespaces  # few names need it

    static: UntypedSymbol | None = None
    for code_object in code_objects:
        for file in symbol_files(code_object):
            for symbol in symbols_outside_namespaces(file, name):
                if symbol.is_in_section and not symbol.is_local:
                    return _as_loaded(code_object, file, symbol)
                if symbol.is_in_section and static is None:
                    static = _as_loaded(code_object, file, symbol)
    return static


def _as_loaded(code_object: CodeObject, file: ObjectFile, symbol: Symbol) -> UntypedSymbol:
    if symbol.is_absolute:
        return UntypedSymbol(symbol.address, is_code=False, is_absolute=True)
    if symbol.kind == "thread_local":
        return UntypedSymbol(symbol.address, is_code=False, thread_local_in=code_object.file)
    is_code = symbol.kind == "function" or file.is_code(symbol.address)
    address = symbol.address + code_object.load_address
    return UntypedSymbol(address, is_code, symbol.is_indirect)


def is_instance(name: str) -> bool:
    """Return whether a name is that of an instance of a template: gcc names the entry of the
    variable `pi<double>` just `pi`, so that only the symbol has its arguments."""
    return name.endswith(">") and "<" in name


def demangled_symbol(code_objects: Iterable[CodeObject], text: str) -> UntypedSymbol | None:
    """Return the symbol whose whole demangled name is given, of a function with or without its
    parameters: `vtable for ns::X`, `f(int)::{lambda()#1}::operator()() const`. None if the symbol
    tables do not have it.
    """
    return next((_as_loaded(*item) for item in _demangled_to(code_objects, text)), None)


def symbol_demangled_to(code_objects: Iterable[CodeObject], text: str) -> str | None:
    """Return the name of the same, as it is in the symbol table, without a version."""
    symbols = (unversioned(symbol.name) for _, _, symbol in _demangled_to(code_objects, text))
    return next(symbols, None)


def d_symbols(code_objects: Iterable[CodeObject], text: str) -> tuple[str, ...]:
    """Return the linkage names of the variables and functions of D that are shown so:
    `app.core.S.count`, and `app.core.gen!(int).gen(int)`, perhaps without the parameters."""
    from dwarfgpu.dwarf.names.d_names import MANGLED  # few names are so
    from dwarfgpu.dwarf.names.shown_d_names import shown_d_name

    path = text.rpartition(" for ")[2]  # of what compilers make for a class or module
    words = list(takewhile(str.isidentifier, path.split(".")))
    if not words:
        return ()
    beginning = f"{MANGLED}{''.join(f'{len(name_bytes(word))}{word}' for word in words)}"
    return tuple(
        dict.fromkeys(
            symbol.name
            for code_object in code_objects
            for file in symbol_files(code_object)
            for symbol in file.symbols_named(beginning, beginning)
            if (shown := shown_d_name(symbol.name)) is not None and text in _spellings_of_d(shown)
        )
    )


def _spellings_of_d(shown: str) -> tuple[str, ...]:
    """Return the shown name of a symbol, and that of a function without its parameters."""
    opening = _opening_of_last(shown)
    return (shown,) if opening is None else (shown, shown[:opening])


def _demangled_to(
    code_objects: Iterable[CodeObject], text: str
) -> Iterator[tuple[CodeObject, ObjectFile, Symbol]]:
    """Yield the symbols of a demangled name, with their files."""
    from dwarfgpu.dwarf.names.demangle import demangled  # few names are only those of symbols

    wanted = canonical(text)
    words = [word for word in dict.fromkeys(_IDENTIFIER.findall(text)) if word not in _NO_NAMES]
    for code_object in code_objects:
        for file in symbol_files(code_object):
            for word in words:
                for symbol in file.mangled_symbols(f"{len(word)}{word}"):
                    name = demangled(unversioned(symbol.name)) if symbol.is_in_section else None
                    if name is not None and wanted in _spellings(name):
                        yield code_object, file, symbol


def _spellings(name: str) -> tuple[str, ...]:
    """Return a demangled name, and that of a function without its parameters, to be compared."""
    opening, whole = _opening_of_last(name), canonical(name)
    return (whole,) if opening is None else (whole, canonical(name[:opening]))


def _opening_of_last(name: str) -> int | None:
    """Return where the parameters of a function begin in its shown name; None for any other."""
    opening = end = name.rfind(")")
    depth = 0
    while opening >= 0:
        depth += (name[opening] == ")") - (name[opening] == "(")
        if not depth:
            break
        opening -= 1
    is_function = opening > 0 and _AFTER_PARAMETERS.fullmatch(name, end + 1) is not None
    return opening if is_function else None
