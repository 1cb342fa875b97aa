"""Check the rows of an FDE by themselves (A.6.4.1, A.6.4.2.2).

Law: the base of a CFA, or a set of rules, that many rows share is checked once per entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.cfi.entry import Cie
from dwarfgpu.cfi.rule import (
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Row,
    Rule,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.check.checked_entry import FORM, CheckedEntry
from dwarfgpu.check.expressions import PossibleArchitectures
from dwarfgpu.expr.decode import decode

_CFA: Final = -1
"""The CFA, among the registers that depend on one another."""
_DEPENDING: Final = (RegisterRule, ValOffsetRule, ExpressionRule, ValExpressionRule)
SAVED: Final = (OffsetRule, ValOffsetRule)
"""Rules that have no meaning without a CFA."""
_NEAR: Final = 1 << 16
"""Offsets below this fit into every address."""


@frozen
class SortedRules:
    """Register rules, looked through once: those of a CIE are in the rows of all its FDEs."""

    rules: Mapping[int, Rule]
    far: Mapping[int, int]
    """The offsets that are not near, by register."""
    depending: Mapping[int, Rule]
    """Those that need another register, or have an expression."""
    twins: tuple[int, int] | None
    """The first two registers that are saved at the same offset from the CFA."""
    by_offset: Mapping[int, int]
    """The first register that is saved at each offset from the CFA."""


def sorted_rules(rules: Mapping[int, Rule]) -> SortedRules:
    """Look through register rules."""
    far = {
        number: rule.offset_bytes
        for number, rule in rules.items()
        if isinstance(rule, SAVED) and not -_NEAR < rule.offset_bytes < _NEAR
    }
    depending = {n: rule for n, rule in rules.items() if isinstance(rule, _DEPENDING)}
    by_offset, twins = dict[int, int](), None
    for number, rule in rules.items():
        if isinstance(rule, OffsetRule):
            other = by_offset.setdefault(rule.offset_bytes, number)
            if other != number and twins is None:
                twins = other, number
    return SortedRules(rules, far, depending, twins, by_offset)


@define
class RowChecker:
    """The rows of one entry."""

    architectures: PossibleArchitectures
    checked_entry: CheckedEntry
    initial: SortedRules
    """The rules of the CIE."""
    _checked_row_rules: set[int] = field(init=False, factory=set)
    _bases: set[tuple[int, int]] = field(init=False, factory=set)
    _has_wide_offset: bool = field(init=False, default=False)
    _has_twins: bool = field(init=False, default=False)

    def check(self, row: Row, *, is_fde: bool) -> None:
        """Check one row; a CIE need not have a CFA."""
        cfa = row.cfa
        if isinstance(cfa, RegisterCfa):
            if not -_NEAR < cfa.offset_bytes < _NEAR:
                self._check_offset(None, cfa.offset_bytes, row)
            base = cfa.register, cfa.address_space
            if base not in self._bases:
                self._bases.add(base)
                self._check_cfa_base(cfa, row)
        if id(row.rules) in self._checked_row_rules:
            return
        self._checked_row_rules.add(id(row.rules))
        if row.cfa is None and is_fde:
            self._check_missing_cfa(row)
        is_initial = row.rules is self.initial.rules
        rules = self.initial if is_initial else sorted_rules(row.rules)
        for number, offset_bytes in rules.far.items():
            self._check_offset(number, offset_bytes, row)
        if not self._has_twins:
            if rules.twins is not None:
                self._check_twins(rules.twins, row)
            self._check_overlaps(rules, row)
        depending = rules.depending
        if not depending and not isinstance(row.cfa, ExpressionCfa):
            return
        self._check_sizes(row, depending)
        cycle = self._cycle(row, depending)
        if cycle:
            names = ["the CFA" if n == _CFA else self.checked_entry.register(n) for n in cycle]
            message = " needs ".join(names)
            self.checked_entry.report(
                "register-cycle", message, row=row, shown=self.checked_entry.shown()
            )

    def _check_offset(self, number: int | None, offset_bytes: int, row: Row) -> None:
        """Report an offset that no address of the machine can have, of a register or the CFA."""
        size_bytes = self.checked_entry.program.format.address_size
        if abs(offset_bytes) >> 8 * size_bytes and not self._has_wide_offset:
            self._has_wide_offset = True  # once for an entry: many rows share it
            subject = "the CFA" if number is None else self.checked_entry.register(number)
            message = (
                f"the offset of {subject} has {offset_bytes.bit_length()} bits, "
                f"an address {8 * size_bytes}"
            )
            shown = self.checked_entry.shown()
            self.checked_entry.report("ill-formed-cfi", message, row=row, shown=shown)

    def _check_twins(self, twins: tuple[int, int], row: Row) -> None:
        """Report two registers with one place, once for an entry: a push changes the CFA's offset.

        The return address may have a column beside that of the machine. On a GPU the halves of a
        register may have numbers of their own; of machines without a known architecture PowerPC
        saves its condition fields as one.
        """
        architecture = self.architectures.architecture
        if architecture is None or architecture.is_simt or self._are_return_addresses(twins):
            return
        first, second = map(self.checked_entry.register, twins)
        offset = row.rules[twins[1]]
        assert isinstance(offset, OffsetRule)
        message = f"{first} and {second} are both saved at CFA{offset.offset_bytes:+}"
        self._report_shared(message, twins[1], row)

    def _check_overlaps(self, rules: SortedRules, row: Row) -> None:
        """Report a register that begins within a general register: a wrong data_alignment_factor
        puts each too near to the next. Of a wider register functions may save the low bits."""
        architecture, by_offset = self.architectures.architecture, rules.by_offset
        if len(by_offset) < 2:
            return
        if architecture is None or architecture.is_simt or self._has_twins:
            return
        size_bytes = architecture.address_bits // 8
        for below in sorted(self.architectures.address_sized & rules.rules.keys()):
            rule = rules.rules[below]
            if not isinstance(rule, OffsetRule):
                continue
            low = rule.offset_bytes
            for high in range(low + 1, low + size_bytes):
                above = by_offset.get(high)
                if above is None or self._are_return_addresses((below, above)):
                    continue
                first, second = map(self.checked_entry.register, (below, above))
                message = (
                    f"{second} is saved at CFA{high:+}, within the {size_bytes} bytes of {first} "
                    f"at CFA{low:+}"
                )
                self._report_shared(message, below, row)
                return

    def _are_return_addresses(self, twins: tuple[int, int]) -> bool:
        architecture, entry = self.architectures.architecture, self.checked_entry.entry
        column = (entry if isinstance(entry, Cie) else entry.cie).return_register
        usual = None if architecture is None else architecture.return_address_register
        return set(twins) == {column, usual}

    def _report_shared(self, message: str, number: int, row: Row) -> None:
        self._has_twins = True
        shown = self.checked_entry.shown_rule(number, row)
        self.checked_entry.report("shared-place", message, row=row, shown=shown)

    def _check_missing_cfa(self, row: Row) -> None:
        saved = [number for number, rule in row.rules.items() if isinstance(rule, SAVED)]
        if saved:
            name = self.checked_entry.register(saved[0])
            message = f"{name} is saved at an offset from the CFA, and there is no CFA rule"
            shown = self.checked_entry.shown_rule(saved[0], row)
            self.checked_entry.report("lost-cfa", message, row=row, shown=shown)

    def _check_cfa_base(self, cfa: RegisterCfa, row: Row) -> None:
        """Report a register of the CFA that DW_OP_LLVM_aspace_bregx cannot read whole."""
        architecture = self.architectures.architecture
        register = self.architectures.register(cfa.register)
        if architecture is None or register is None:
            return
        space = architecture.address_spaces.get(cfa.address_space)
        if space is None:
            return
        name = self.checked_entry.register(cfa.register)
        if register.is_narrower(space.address_bits):
            rule = "narrow-base-register"
            message = (
                f"register {name} of {register.size_bits} bits is narrower than "
                f"the {space.address_bits}-bit addresses of {space}"
            )
        elif register.type.vector_size is not None and architecture.is_simt:
            rule = "wide-base-register"
            message = f"CFA {name} is a vector register: the bits of its first lanes are used"
        else:
            return
        shown = self.checked_entry.shown_rule(cfa.register, row, cfa=True)
        self.checked_entry.report(rule, message, row=row, shown=shown)

    def _check_sizes(self, row: Row, rules: Mapping[int, Rule]) -> None:
        """Report rules whose value size differs from the register's (A.6.4.1)."""
        for number, rule in rules.items():
            size_bits, subject = None, ""
            if isinstance(rule, RegisterRule):
                source = self.architectures.register(rule.register)
                size_bits = None if source is None else source.size_bits
                subject = self.checked_entry.register(rule.register)
            elif isinstance(rule, ValExpressionRule):
                # No operation that CFI may use gives a value of another type.
                size_bits, subject = 8 * self.checked_entry.program.format.address_size, "a value"
            own = self.architectures.register(number)
            if size_bits is None or own is None or own.size_bits == size_bits:
                continue
            name = self.checked_entry.register(number)
            message = (
                f"{name} has {own.size_bits} bits, and its rule gives {subject} of {size_bits} bits"
            )
            shown = self.checked_entry.shown_rule(number, row)
            self.checked_entry.report("register-size", message, row=row, shown=shown)

    def _cycle(self, row: Row, rules: Mapping[int, Rule]) -> list[int]:
        """Return registers that depend on each other, the first again at the end; empty if none do.

        A rule depends on the CFA; DW_OP_LLVM_call_frame_entry_reg R and, on AMD GPUs, register(R)
        depend on R (docs/spec-notes.md).
        """
        edges = {number: list(self._needs(rule)) for number, rule in rules.items()}
        if isinstance(row.cfa, ExpressionCfa):
            needed = list(self._entry_registers(row.cfa.expression))
            edges[_CFA] = needed
            saved = (number for number in needed if isinstance(row.rules.get(number), OffsetRule))
            edges |= {number: [_CFA] for number in saved}
        return first_cycle(edges)

    def _needs(self, rule: Rule) -> Iterator[int]:
        match rule:
            case RegisterRule():
                if self.architectures.chains_register_rules:
                    yield rule.register
            case OffsetRule() | ValOffsetRule():
                yield _CFA
            case ExpressionRule() | ValExpressionRule():
                yield _CFA
                yield from self._entry_registers(rule.expression)
            case _:
                return

    def _entry_registers(self, data: bytes) -> Iterator[int]:
        for instruction in decode(data, self.checked_entry.dialect, FORM).instructions.distinct:
            register = instruction.operands[0] if instruction.operands else None
            if instruction.operation.name == "LLVM_call_frame_entry_reg" and isinstance(
                register, int
            ):
                yield register


def first_cycle(edges: Mapping[int, list[int]]) -> list[int]:
    """Return nodes that each depend on the next, the first again at the end."""
    visited: set[int] = set()
    for start in edges:
        if start in visited:
            continue
        path, on_path = [start], {start}
        pending = [iter(edges[start])]
        while pending:
            following = next(pending[-1], None)
            if following is None:
                pending.pop()
                node = path.pop()
                on_path.discard(node)
                visited.add(node)
            elif following in on_path:
                return [*path[path.index(following) :], following]
            elif following not in visited and following in edges:
                pending.append(iter(edges[following]))
                path.append(following)
                on_path.add(following)
    return []
