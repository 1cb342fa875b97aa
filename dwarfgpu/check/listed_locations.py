"""The location lists of one unit: whether each can be read, and is for the code of its function."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from dwarfgpu.base.records import define, field
from dwarfgpu.check.attributes import CheckedValue
from dwarfgpu.check.expressions import Role
from dwarfgpu.check.list_headers import ListHeaders
from dwarfgpu.check.unit_expressions import UnitExpressions
from dwarfgpu.check.unit_findings import UnitFindings
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMS, Attribute, Raw
from dwarfgpu.dwarf.list_entries import InvertedRange
from dwarfgpu.dwarf.unit_header import WrongHeader
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, MissingContext
from dwarfgpu.expr.location_list_entry import LocationListEntry


@define(eq=False)
class LocationLists:
    """The checks of the location lists of one unit."""

    _expressions: UnitExpressions
    _headers: ListHeaders = field(init=False)

    @_headers.default
    def _headers_of_unit(self) -> ListHeaders:
        return ListHeaders(self._expressions.unit)

    @property
    def _findings(self) -> UnitFindings:
        return self._expressions.findings

    def check(
        self, index: int, spec: CheckedValue, role: Role, value: int, views: Raw | None
    ) -> None:
        """Check a list, and the expression of each of its entries. `views`: its
        DW_AT_GNU_locviews."""
        attribute = Attribute(spec.form, FORMS[spec.form][0], value)
        entries = self._read(
            index, spec, role, attribute, views if isinstance(views, int) else None
        )
        if not entries:
            return
        expressions, ranges = self._expressions, self._findings.positions.code(index)
        clean = expressions.results_of(role).clean
        may_pass_over = spec.vendor is None and not expressions.has_function_without_base
        first, last = ranges[0] if len(ranges) == 1 else (1, 0)
        bias = expressions.unit.sections.program.load_address  # also of what a machine has loaded
        for expression, begin, end, _ in entries:
            span, is_clean = None, expression in clean
            if begin is not None and end is not None:
                is_within = begin == end or first <= begin - bias <= end - bias <= last
                if not (is_within and is_clean):
                    span = Range(begin - bias, end - bias)
                    if not is_within:
                        self._within(index, spec, span, ranges)
            if is_clean and may_pass_over:
                expressions.expressions.count += 1
            else:
                expressions.check(index, spec, role, expression, span)

    def _read(
        self,
        index: int,
        spec: CheckedValue,
        role: Role,
        attribute: Attribute,
        views: int | None,
    ) -> tuple[LocationListEntry, ...]:
        """Return the entries of a list; none where it cannot be read. Without the addresses of a
        split unit, only the expressions are checked."""
        unit, headers = self._expressions.unit, self._headers
        try:
            if headers.have_other_addresses(attribute, self._report_size):
                return ()
            try:
                listed = unit.lists.locations_of(attribute, views)
                return listed.in_order or listed.entries  # with those of empty ranges
            except MissingContext as error:  # the addresses of a split unit are in another file
                if not unit.is_split:
                    raise
                unplaced = unit.lists.unplaced_expressions(attribute)
                self._findings.skip_addresses(error)
        except (IllFormed, Malformed) as error:
            is_other = isinstance(error, IllFormed)
            if is_other and headers.have_other_addresses(attribute, self._report_size, again=True):
                return ()
            if isinstance(error, WrongHeader):
                return ()  # reported with the headers
            rule = "unreadable-list" if isinstance(error, Malformed) else "ill-formed-list"
            if isinstance(error, InvertedRange):
                rule = "inverted-range"
            self._findings.report(rule, str(error.message), index, spec.name)
            return ()
        except DwarfGpuError as error:  # no fault of the file's
            self._findings.skip(error)
            return ()
        for expression in unplaced:
            self._expressions.check(index, spec, role, expression, None)
        return ()

    def _report_size(self, message: str) -> None:
        self._findings.report("address-size", message, None)

    def _within(
        self, index: int, spec: CheckedValue, span: Range, ranges: tuple[Range, ...]
    ) -> None:
        """Report a range that is not within the code of the function."""
        if not ranges:
            return
        code = ranges[bisect_right(ranges, span.begin, key=itemgetter(0)) - 1]
        if code.begin <= span.begin and span.end <= code.end:
            return
        unit, positions = self._expressions.unit, self._findings.positions
        if unit.is_mark(span.begin) and positions.has_parts(index):
            return  # of a part of the function that a linker dropped, as GCC's hot and cold code
        listed = " ".join(f"[{r.begin:#x},{r.end:#x})" for r in ranges[:4])
        message = (
            f"[{span.begin:#x},{span.end:#x}) is not within the code of the function, {listed}"
        )
        size_bytes = span.end - span.begin
        if 1 << 31 <= size_bytes < 1 << 32:
            # GCC computes lengths in .debug_loc.dwo as END-BEGIN-1 where BEGIN is LABEL-1.
            message += f"; its length is {size_bytes - (1 << 32)} as a signed number"
        self._findings.report("range-outside-function", message, index, spec.name, span)
