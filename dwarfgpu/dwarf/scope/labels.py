"""Labels of a function (DWARF 5 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import entries_of, name_of


@frozen
class Label:
    """A label that has an address."""

    die: Die
    name: str
    address: int
    """As loaded."""


def label_of(die: Die) -> Label | None:
    """Return the label of an entry; None for other entries, and for labels without an address."""
    if die.tag != dw.TAG_LABEL:
        return None
    address, name = die.address(dw.AT_LOW_PC), name_of(die)
    if address is None or name is None:
        return None
    return Label(die, name, die.unit.relocate(address))


def labels_in(scope: Die) -> Iterator[Label]:
    """Yield the labels of a function or block, without those of the blocks in it."""
    for die in entries_of(scope, (dw.TAG_LABEL,)):
        label = label_of(die)
        if label is not None:
            yield label
