"""The names of variables: those of instances of templates have their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import cxx
from dwarfgpu.dwarf.names.qualified import Part, canonical, joined, split_last
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.declarations import declaration_of, qualified
from dwarfgpu.dwarf.scope.named_entries import VARIABLE_TEMPLATES, completed, named
from dwarfgpu.dwarf.section_budget import LinkedNames
from dwarfgpu.dwarf.unit import CompilationUnit

_MAX_INSTANCES: Final = 8
"""Instances of a template that a message names."""


def variable_name(die: Die) -> str:
    """Return the qualified name of a variable, of an instance of a template with its arguments as
    they are shown.

    gcc has the instances of member templates outside of their classes, and the static members of
    those that the unit only declares: their linkage names have the scopes.
    """
    *scopes, name = _in_functions_of_d(die) or qualified(die)
    if not die.unit.is_cplusplus:
        return die.unit.joint.join((*scopes, name))
    instance, linked = instance_as_linked(die), die.linkage_name
    if scopes or linked is None:
        return die.unit.joint.join((*scopes, instance or name))
    if instance is not None:
        return _linked_instance(die, linked) or instance
    return (_linked_member(die, linked) if linked.startswith("_ZN") else None) or name


def is_outside_its_class(die: Die) -> bool:
    """Return whether a variable is a static member, or an instance of a template of these, that is
    described in no scope: only its linkage name has that of its class."""
    if die.tag not in VARIABLE_TEMPLATES or not die.unit.is_cplusplus or die.linkage_name is None:
        return False
    return len(qualified(die)) == 1 and bool(split_last(variable_name(die))[0])


def outside_class(unit: CompilationUnit, path: tuple[str, ...], name: str) -> Iterator[Die]:
    """Yield these of a unit, of a canonical name, by the path of their class."""
    if path:
        whole = joined((*path, name))
        yield from (die for die, own in named_outside_classes(unit, name) if own == whole)


@kept_with(first, 64)
def named_outside_classes(unit: CompilationUnit, name: str) -> tuple[tuple[Die, str], ...]:
    """Return these of whatever class, with their whole names: a name is sought in many classes."""
    if not unit.is_cplusplus:
        return ()
    dies = dict.fromkeys((*named(unit, name.partition("<")[0]), *named(unit, name)))
    outside = filter(is_outside_its_class, dies)
    return tuple((die, canonical(variable_name(die))) for die in outside)


def shown_name(name: str, die: Die) -> str:
    """Return `std::iterator_traits<char const*>::pointer`, as GDB writes template arguments."""
    return cxx.canonical(name, is_shown=True) if die.unit.is_cplusplus and "<" in name else name


def _in_functions_of_d(die: Die) -> tuple[str, ...] | None:
    """Return the names of the functions of D around a static variable with those around them and
    its own: ldc2 puts its entry in the module. None for any other variable, and where an instance
    of a template is around it, whose arguments only the entry of that spells."""
    if die.unit.language != dw.LANG_D or not (linked := die.linkage_name):
        return None
    from dwarfgpu.dwarf.names.d_names import d_name  # few programs are of D

    known = d_name(linked)
    if known is None or not any(step.is_function for step in known.steps[:-1]):
        return None
    words = tuple(step.word for step in known.steps)
    return None if any("!" in word for word in words) else words


def has_arguments(variable: Die, part: Part) -> bool:
    """Return whether a variable has the template arguments that are written, or none are."""
    instance = instance_name(variable)
    if instance is not None:
        return instance == part.name
    return not part.name.endswith(">") or canonical(variable.name or "") == part.name


def instance_name(die: Die) -> str | None:
    """Return the canonical simple name of an instance of a variable template, `v<int>`, which
    compilers name by its linkage name, or by the arguments beside it; None of another variable.
    `v<?>`, which is no name, if the arguments are unknown."""
    full = instance_as_linked(die)
    return None if full is None else canonical(full)


def instance_as_linked(die: Die) -> str | None:
    """Return the same as demanglers or clang write it: `v<3u>`, `v<&x>`."""
    mangled = die.linkage_name
    if mangled is None and die.name is not None and die.abbreviation.has_children:
        full = die.unit.info.name_with_arguments(die, die.name)  # of clang's constants
        return None if full == die.name else full
    if mangled is None and die.tag == dw.TAG_VARIABLE:
        mangled = _symbol_of_instance(die)
        if mangled == "":
            return f"{die.name or ''}<?>"
    if mangled is None or not may_name_instance(mangled):
        return None
    whole = _linked_instance(die, mangled)
    return None if whole is None else split_last(whole)[1]


def _linked_instance(die: Die, mangled: str) -> str | None:
    """Return the qualified name that a linkage name of an instance has."""
    sections = die.unit.sections
    names = sections.program.shared(LinkedNames)
    return names.read(_instance_in, mangled, sections.object.limits)


def _linked_member(die: Die, mangled: str) -> str | None:
    """Return the qualified name that a linkage name of a static member has."""
    sections = die.unit.sections
    names = sections.program.shared(LinkedNames)
    whole = names.read(_name_in, mangled, sections.object.limits)
    return whole if whole is not None and split_last(whole)[1] == die.name else None


def instances_of_member(declared: Die, defined: Die) -> list[Die]:
    """Return the instances of a static member template if one of them completes a declaration, to
    which clang gives the name of the template alone; none of any other member."""
    if defined == declared or defined.tag not in VARIABLE_TEMPLATES or defined.linkage_name is None:
        return []
    if instance_name(defined) is None or instance_name(declared) is not None:
        return []
    own = declaration_of(defined)
    above = own.parent()
    beside = (own,) if above is None else above.children((own.tag,))  # one for each type
    of_template = (one for one in beside if one.name == own.name)
    entries = chain.from_iterable(completed(one, (own.unit,)) for one in of_template)
    return [one for one in entries if instance_name(one) is not None]


def listed_instances(instances: Sequence[Die]) -> str:
    """Return what follows the message that a name is unknown which is that of a template: its
    instances; empty without any."""
    names = {variable_name(one): one for one in reversed(instances)}
    if not names:
        return ""
    first = islice(reversed(names.items()), _MAX_INSTANCES)
    shown = [shown_name(name, one) for name, one in first]
    shown += ["…"] if len(names) > _MAX_INSTANCES else []
    return f" Instances of a template of that name: {', '.join(shown)}"


def symbol_name(die: Die) -> str | None:
    """Return the linkage name of a variable, also where only the symbol of an instance of a
    template has it; None if it is unknown."""
    linked = die.linkage_name
    if linked is None and die.tag == dw.TAG_VARIABLE and die.unit.is_cplusplus:
        linked = _symbol_of_instance(die) or None
    return linked


@kept_with(lambda die: die.unit)
def _symbol_of_instance(die: Die) -> str | None:
    if not parse_producer(die.unit.producer).is_gcc:
        return None  # clang's names have the arguments
    from dwarfgpu.dwarf.scope.local_instances import symbol_of_instance  # few are without a name

    return symbol_of_instance(declaration_of(die), qualified)


def may_name_instance(mangled: str) -> bool:
    """Return whether a mangled name may be that of an instance of a variable template: at its end
    are the arguments, `I…E`, in a namespace or class before the end of `N…E` (Itanium C++ ABI,
    5.1.4)."""
    return mangled.endswith("EE" if mangled.startswith("_ZN") else "E") and "I" in mangled


def _instance_in(mangled: str) -> str | None:
    name = _name_in(mangled)
    return None if name is None or not name.endswith(">") else name


def _name_in(mangled: str) -> str | None:
    from dwarfgpu.dwarf.names.demangle import demangled_name  # few variables need it

    return demangled_name(mangled)
