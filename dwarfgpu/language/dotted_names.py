"""What names with points between them denote in Ada, D and Go: `pk.shape`, `Color.red`,
`main.counter`, each one name in the entries of the program."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import UsageError
from dwarfgpu.language.named_objects import Names, is_object


def joined_names(names: Names, words: Sequence[str]) -> tuple[int, str]:
    """Return how many of the words are one name, and that name; 1 if the first is an object, but
    in Ada a package comes before an object that only `use` makes visible (Ada 2012 8.4)."""
    unit = names.current_unit
    language = names.language
    if language.is_ada:
        from dwarfgpu.language.ada.expanded_names import joined_in_ada  # few programs are in Ada

        return joined_in_ada(names, words)
    for count in range(len(words), 0 if "!" in words[0] else 1, -1):
        joined = ".".join(words[:count])
        spellings = _spellings_of_d(joined) if language.is_d else (joined,)
        known = next(filter(names.is_name, spellings), None)
        if known is None and language.is_d:
            known = next((name for name in spellings if _is_not_described(names, name)), None)
        if known is not None:
            with_global = not language.is_go
            if count > 1 and is_object(names, words[0], with_global=with_global):
                return 1, words[0]
            return count, known
    if language.is_go and unit is not None and words[0] == unit.name:
        is_package = not names.session.meanings(words[0]).of(words[0])
        return (2, ".".join(words[:2])) if is_package else (1, words[0])  # the error names it
    if language.is_d:
        count = _unknown_of_d(names, words)
        return count, ".".join(words[:count])
    return 1, words[0]


def _spellings_of_d(joined: str) -> tuple[str, ...]:
    from dwarfgpu.dwarf.names.d_spellings import d_spellings  # few programs

    own = (joined,) if "!" in joined else ()  # without points between names
    return own + d_spellings(joined)


def _unknown_of_d(names: Names, words: Sequence[str]) -> int:
    """Return how many words are a module and a name that it does not have, which the error names;
    1 if the first is an object, or no words are a module."""
    if not is_object(names, words[0], with_global=True):
        for count in range(len(words) - 1, 0, -1):
            module = ".".join(words[:count])
            if names.session.meanings(module).of(module, _is_module):
                return count + 1
    return 1


def _is_module(die: Die) -> bool:
    return die.tag == dw.TAG_MODULE


def _is_not_described(names: Names, name: str) -> bool:
    """Return whether a name means a static variable of D that no entry describes."""
    from dwarfgpu.language.d.static_members import NotDescribed  # for names of D only

    try:
        names.meaning(name)
    except NotDescribed:
        return True  # its use raises the error
    except UsageError:
        pass
    return False
