"""Headers of location lists whose address size is not that of the unit (DWARF 5 7.29): their lists
cannot be read."""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import IllFormed


@define(eq=False)
class ListHeaders:
    """The headers before the lists of one unit."""

    unit: CompilationUnit
    _has_reported: bool = field(init=False, default=False)
    _is_right: bool = field(init=False, default=False)
    """Whether a header has the unit's address size: that of those lists which it names by index,
    or of any where reading a list compares its own."""

    def have_other_addresses(
        self, attribute: Attribute, report: Callable[[str], None], *, again: bool = False
    ) -> bool:
        """Return whether the header of a list has another address size, which is reported once.

        `again`: also where a header before was right.
        """
        format = self.unit.format
        if format.version < 5 or (self._is_right and not again):
            return False
        base = self.unit.root.attribute(dw.AT_LOCLISTS_BASE)
        offset = attribute.raw if base is None else base.raw  # the base comes from `headers`
        if not isinstance(offset, int) or (base is None and attribute.kind == "loclistx"):
            return False
        lists = self.unit.sections.contributions(".debug_loclists")
        try:
            lists.check(offset, format.address_size, is_base=base is not None)
        except IllFormed as error:
            if base is None and not self._has_reported:
                self._has_reported = True
                report(error.message)
            return True
        self._is_right = True
        return False
