"""User-defined printers: how values of classes are shown (`docs/printers.md`)."""

from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import (
    Characters,
    Collection,
    Printed,
    Printer,
    Printers,
)
from dwarfgpu.view.printers.standard import STANDARD

__all__ = [
    "STANDARD",
    "Characters",
    "Collection",
    "Object",
    "Printed",
    "Printer",
    "Printers",
    "UnexpectedLayout",
]
