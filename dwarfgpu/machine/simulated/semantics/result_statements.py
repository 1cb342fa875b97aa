"""Statements that write results to vector registers, whole or in part, in the enabled lanes."""

from __future__ import annotations

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import OP_SELECT
from dwarfgpu.isa.operation import Operation
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound
from dwarfgpu.machine.simulated.semantics.operand_text import Operand, TypeShape
from dwarfgpu.machine.simulated.semantics.vector_bytes import HIGH, LOW, WHOLE, bytes_written
from dwarfgpu.machine.simulated.wave_fault import not_simulated


class ResultStatements:
    """The results of one operation of an instruction."""

    def __init__(self, item: Bound, target: IsaTarget, *, tracks_writes: bool) -> None:
        self.tracks_writes = tracks_writes
        self.item = item
        self.operation: Operation = item.operation
        self.target = target
        self.name = item.instruction.mnemonic
        self._written_bytes = bytes_written(item, target)

    def _vector_write(self, destination: Operand, shape: TypeShape, variable: str) -> list[str]:
        register = destination.register
        assert register is not None
        bank = "" if register.bank == "v" else "a"
        first = register.first
        on = "on" if self.operation.is_masked else "w.unmasked"
        if self.item.has_dpp:
            on = "reached"
        rows: list[tuple[str, str]] = []
        if destination.offset:
            is_whole = shape.bits == 32 and shape.count == 1
            if not is_whole or self.item.is_sdwa and self.item.fields.get("dst_sel", 6) != 6:
                raise not_simulated(f"{self.name} with an index")
            kind = {"b": "v", "u": "v"}.get(shape.kind, shape.kind)
            lines = self._stores([(f"{kind}[{first}{destination.offset}]", variable)], on)
            return [*self._reached(), *self._marks(destination, 1), *lines]
        if self.item.is_sdwa and "dst_sel" in self.item.fields:
            fields = self.item.fields
            old = f"{bank}v[{first}]"
            select, unused = fields["dst_sel"], fields["dst_unused"]
            if shape.count > 1:
                [(_, bits)] = self._element_rows(bank, first, shape, variable)
            else:
                bits = f"raw_bits({variable}, '{shape.element}')"
            rows.append((old, f"placed({old}, {bits}, {select}, {unused})"))
        elif shape.count > 1:
            rows = self._element_rows(bank, first, shape, variable)
        elif shape.bits == 32:
            kind = {"b": "v", "u": "v"}.get(shape.kind, shape.kind)
            rows.append((f"{bank}{kind}[{first}]", variable))
        elif shape.bits == 64:
            name = f"{variable}_"
            lines = [f"{name} = raw_bits({variable}, '{shape.element}')"]
            lines += self._stores(
                [(f"{bank}v[{first}]", name), (f"{bank}v[{first + 1}]", f"high_dwords({name})")], on
            )
            return [*self._reached(), *self._marks(destination, 2), *lines]
        else:
            rows.append(self._half_row(bank, first, shape, variable, destination))
        marks = self._marks(destination, shape.dwords)
        return [*self._reached(), *marks, *self._stores(rows, on)]

    def _marks(self, destination: Operand, count: int) -> list[str]:
        """Return statements that note which lanes of registers have been written."""
        register = destination.register
        if not self.tracks_writes or register is None:
            return []
        if self.operation.name == "v_permlane64_b32" and self.target.wave_size == 32:
            return []  # it does nothing
        lanes = "w.exec" if self.operation.is_masked else "w.all_lanes"
        if self.operation.expression.startswith("permuted_") and not self._fetch:
            lanes = f"mask_of({self._permuted_activity}) & w.exec"
        if self.operation.name == "v_writelane_b32":
            lanes = f"1 << (int(b) & {self.target.wave_size - 1})"
        if self.item.has_dpp:
            lanes = "mask_of(reached)" if "dpp_ctrl" in self.item.fields else lanes
        first = f"{register.first}{destination.offset}"
        if register.bank == "a":
            first = f"w.vgprs + {first}"
        out = []
        for number in range(count):
            row = f"{first}{f' + {number}' if number else ''}"
            written = self._bytes_of(register, number)
            whole = f"w.written[{row}] |= {lanes}"
            out.append(
                whole if written == WHOLE else f"w.write_bytes({row}, {written:#06b}, {lanes})"
            )
        return out

    def _bytes_of(self, register: Register, number: int = 0) -> int:
        """Return the bytes of one dword of a destination that are written."""
        return self._written_bytes.get((register.bank, register.first + number), WHOLE)

    @property
    def _fetch(self) -> int:
        """What a permutation of rows does about lanes that do not execute: FI, and BOUND_CTRL."""
        fields = self.item.fields
        is_zero = bool(fields.get("src1_modifiers", 0) & OP_SELECT)
        return bool(fields.get("src0_modifiers", 0) & OP_SELECT) | is_zero << 1

    @property
    def _permuted_activity(self) -> str:
        """The lanes that a permutation of rows gives the value of a lane that executes."""
        call = self.operation.expression.replace("(a, ", "(active, ")
        active = call.replace(", d, active, fetch", ", active, active, 1")
        return active.replace("active", "w.active_lanes")

    def _reached(self) -> list[str]:
        """Return the lanes that DPP writes."""
        fields = self.item.fields
        if "dpp_ctrl" in fields:
            zero = bool(fields.get("bound_ctrl"))
            fetch = bool(fields.get("fi", 0))
            control, rows, banks = fields["dpp_ctrl"], fields["row_mask"], fields["bank_mask"]
            return [f"reached = reached_by({control:#x}, {rows}, {banks}, {zero}, {fetch}, w)"]
        return ["reached = on"] if self.item.has_dpp else []

    def _half_row(
        self, bank: str, first: int, shape: TypeShape, variable: str, destination: Operand
    ) -> tuple[str, str]:
        row = f"{bank}v[{first}]"
        half = f"u32(raw_bits({variable}, '{'bf16' if shape.kind == 'bf' else shape.element}'))"
        if shape.bits != 16:
            raise not_simulated(self.name)
        assert destination.register is not None
        written = self._bytes_of(destination.register)
        if written == HIGH:
            return row, f"{row} & 0xffff | {half} << 16"
        return row, f"{row} & 0xffff0000 | {half}" if written == LOW else half

    def _element_rows(
        self, bank: str, first: int, shape: TypeShape, variable: str
    ) -> list[tuple[str, str]]:
        if shape.bits == 32:
            kind = {"b": "v", "u": "v"}.get(shape.kind, shape.kind)
            return [(f"{bank}{kind}[{first + n}]", f"{variable}[{n}]") for n in range(shape.count)]
        if shape.bits == 64:
            rows = []
            for n in range(shape.count):
                low = f"{variable}[{n}].view(u64)"
                rows += [
                    (f"{bank}v[{first + 2 * n}]", low),
                    (f"{bank}v[{first + 2 * n + 1}]", f"{low} >> 32"),
                ]
            return rows
        if shape.bits == 16 and shape.count == 2:
            return [(f"{bank}v[{first}]", f"joined_halves({variable}, '{shape.element}')")]
        if shape.bits == 8 and shape.count == 4:
            return [(f"{bank}v[{first}]", f"join_bytes({variable})")]
        raise not_simulated(self.name)

    @staticmethod
    def _stores(rows: list[tuple[str, str]], on: str) -> list[str]:
        return [f"put({row}, {on}, {value})" for row, value in rows]
