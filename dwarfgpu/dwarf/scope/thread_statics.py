"""Static thread-local variables of functions that nothing but a symbol describes.

gcc and clang describe where no thread-local variable of AArch64 is. Law: whether a symbol is that
of one of these, or of a variable of its name in another function, is not known; so a variable
without a location is not called optimized out where there is such a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.address_ranges import merged
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.local_instances import source_file
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS, code_ranges
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.thread_local import has_thread_local_storage
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol


def why_not_known(variable: Variable) -> str | None:
    """Return why a variable of a function, without a location, may have a value nevertheless; None
    where it is optimized out, and for one outside of functions."""
    die = variable.die
    if variable.kind == "parameter" or variable.why_dropped is not None:
        return None
    file, name = die.unit.info.main.sections.object, die.name
    if abi_of(file.machine).describes_thread_locals or not has_thread_local_storage(file):
        return None
    if name is None:
        return None
    with suppress(DwarfGpuError):
        symbol = next(_symbols(file, die, name, _functions(variable)), None)
        if symbol is not None:
            return (
                f"{name} has no location, and whether it is the thread-local variable "
                f"{symbol.name} is not known"
            )
    return None


def _symbols(file: ObjectFile, die: Die, name: str, functions: Sequence[Die]) -> Iterator[Symbol]:
    """Yield the thread-local symbols that static variables of this name may have in functions of
    the source file, or of one that is not known: `x.1` (gcc), `f.x` (clang), `_ZZ1fvE1x` (C++); `x`
    is a variable of a file."""
    if not functions:
        return
    source, code = source_file(die.unit), merged(code_ranges(die.unit.linked.root))
    beginning, in_clang = f"{name}.", _names_in_clang(functions)
    for symbol in (
        *(one for one in file.symbols_named(beginning, beginning) if _is_of_gcc(one, beginning)),
        *(one for one in file.symbols_ending(f".{name}") if _function(one.name) in in_clang),
        *(one for one in file.symbols_ending(f"{len(name)}{name}") if one.name.startswith("_ZZ")),
    ):
        if symbol.kind != "thread_local":
            continue
        in_source = file.locals_in_source(symbol.name, source, code) if symbol.is_local else None
        if in_source is None or symbol in in_source:
            yield symbol


def _is_of_gcc(symbol: Symbol, beginning: str) -> bool:
    """Return whether a number is after the point; in `x.lto_priv.0` of a file there is none."""
    return is_decimal(symbol.name[len(beginning) :][:1])


def _names_in_clang(functions: Sequence[Die]) -> frozenset[str]:
    """Return how clang may name functions in the symbols of their variables."""
    names = (name for one in functions for name in (one.linkage_name, one.name))
    return frozenset(_function(name) for name in names if name is not None)


def _functions(variable: Variable) -> list[Die]:
    """Return the function around a variable, or those that may own one of a nameless function; none
    outside of functions."""
    from dwarfgpu.dwarf.scope.nameless_functions import is_nameless, owners_of  # few files need it

    if is_nameless(variable.die):
        return list(owners_of(variable))
    above = None if variable.kind == "global" else variable.die.parent()
    while above is not None and above.tag not in FUNCTIONS:
        above = above.parent()
    return [] if above is None else [above]


def _function(name: str) -> str:
    """Return `f` for `f.x`, and for `f.omp_outlined`, whose variables have the name of `f`."""
    return name.partition(".")[0]
