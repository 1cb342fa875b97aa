"""Expanded names of Ada (Ada 2012 4.1.3): `pk.shape`, `pk.inner.x`, `subprogram.x`."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada.names import is_direct, of_package
from dwarfgpu.language.ada.packages import is_package
from dwarfgpu.language.ada.subprograms_around import of_subprogram
from dwarfgpu.language.named_objects import Names, is_object, is_of_enclosing


def joined_in_ada(names: Names, words: Sequence[str]) -> tuple[int, str]:
    """Return how many of the words are one name, and that name; 1 if the first is an object."""
    for count in range(len(words), 1, -1):
        joined = ".".join(words[:count])
        if _is_name(names, joined):  # `Names.spelled` knows how it is written
            return (1, words[0]) if _is_before(names, words[0], joined) else (count, joined)
    count = _unknown(names, words)
    return count, ".".join(words[:count])


def _is_name(names: Names, joined: str) -> bool:
    """Return whether a name with points means something, or is ambiguous."""
    try:
        if of_subprogram(names.session, joined) is not None:
            return True
        spelled = names.spelled(joined)
        is_one = bool(names.meaning(joined)) or names.is_name(joined)
        is_one = is_one or names.literal(spelled) is not None
        return is_one or names.in_enclosing_functions(spelled, ()) is not None
    except UsageError:
        return True  # its use raises the error


def _is_before(names: Names, word: str, joined: str) -> bool:
    """Return whether a name is that of an object in Ada, not of the package in a name with points;
    note where it may be either. The name of a task around the code is also that of its object."""
    if is_direct(names.session, word):
        with_global = of_subprogram(names.session, joined) is None
        return is_object(names, word, with_global=with_global)
    note = of_package(names.session, word, joined)
    names.remarks.update({} if note is None else {note: None})
    return False


def _unknown(names: Names, words: Sequence[str]) -> int:
    """Return how many words are a package and a name that it does not have, which the error names;
    1 if the first is no package, or an object."""
    if names.is_name(words[0]) or is_of_enclosing(names, words[0]):
        return 1
    packages = 0
    while packages < len(words) and is_package(names.session, ".".join(words[: packages + 1])):
        packages += 1
    return min(packages + 1, len(words))
