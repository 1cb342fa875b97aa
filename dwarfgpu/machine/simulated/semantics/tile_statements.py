"""Statements for the matrices of MFMA and WMMA, held in the registers of all lanes."""

from __future__ import annotations

import struct

from dwarfgpu.isa.modifiers import OP_SELECT
from dwarfgpu.machine.simulated.semantics.operand_text import Operand
from dwarfgpu.machine.simulated.semantics.result_statements import ResultStatements
from dwarfgpu.machine.simulated.semantics.small_floats import MATRIX_FORMATS, format_of
from dwarfgpu.machine.simulated.wave_fault import not_simulated


def _single_bits(number: int) -> int:
    """Return the 32 bits of an inline constant, which LLVM's kind of operand may have as a
    double."""
    if number >> 32 in (0, 0xFFFFFFFF):
        return number & 0xFFFFFFFF
    [value] = struct.unpack("<d", struct.pack("<Q", number))
    [bits] = struct.unpack("<I", struct.pack("<f", value))
    return int(bits)


def _bits_of(number: int) -> int:
    """Return the bits of an element by the number of its format."""
    return int(MATRIX_FORMATS[number][-1])


class TileStatements(ResultStatements):
    """The tiles of one operation of an instruction."""

    sources: list[Operand]
    results: list[Operand]

    def _tile(self, kind: str, operand: Operand) -> str:
        """Return the elements of a matrix."""
        self._require_lanes()
        positions = (number for number, source in enumerate(self.sources) if source is operand)
        number = next(positions, 3)
        register = operand.register
        if register is None:
            text = self._filled_tile(kind, operand)
            return self._modified_tile(kind, number, text, operand.modifiers)
        if number < 2 and self.operation.name.endswith("_f8f6f4"):
            self._require_formats()
            kind = MATRIX_FORMATS[self.item.fields[("cbsz", "blgp")[number]]]
        raws = ", ".join(operand.raw(number) for number in range(register.size))
        form = format_of(kind, self.target) if kind in ("fp8", "bf8") else kind
        text = f"tile(({raws},), '{form}')"
        is_half_used = kind in ("f16", "bf16") and self.target.generation == 11 and number == 2
        if is_half_used:
            text = f"halves_of({text}, {int(bool(operand.modifiers & OP_SELECT))})"
        return self._modified_tile(kind, number, text, operand.modifiers)

    def _modified_tile(self, kind: str, number: int, text: str, modifiers: int) -> str:
        """Apply cbsz and abid, blgp, and signs."""
        fields = self.item.fields
        name = self.operation.name
        if name.endswith("_f8f6f4"):  # cbsz and blgp are formats
            is_split = number < 2 and kind in ("fp8", "bf8")
            return f"joined_groups({text}, {self._rows})" if is_split else text
        if name.startswith("v_mfma"):
            pattern, size = fields["blgp"], fields["cbsz"]
            if "f64" in name:
                return f"-{text}" if pattern >> number & 1 else text
            if number == 1 and pattern:
                return f"grouped_lanes({text}, {pattern})"
            if number == 0 and size:
                self._require_blocks(self._rows, size, fields["abid"])
                return f"one_block({text}, {self._rows}, {size}, {fields['abid']})"
            return text
        if number == 2 and modifiers & 3:
            text = f"absolute({text})" if modifiers & 2 else text
            return f"-{text}" if modifiers & 1 else text
        is_signed = kind in ("f16", "bf16") and modifiers & 3
        return f"negated_elements({text}, {modifiers & 3})" if is_signed else text

    @property
    def _rows(self) -> int:
        """The rows of the first matrix, and of the result."""
        return int(self.operation.name.partition("x")[0].rpartition("_")[2])

    def _require_formats(self) -> None:
        """Raise `WaveStop` for matrices of 6 bits where the order of their elements matters: no
        public document says which ones a lane has."""
        fields = self.item.fields
        sizes = {_bits_of(fields[name]) for name in ("cbsz", "blgp")}
        if 6 in sizes and (len(sizes) > 1 or "scale" in self.operation.name):
            raise not_simulated(f"{self.name} cbsz:{fields['cbsz']} blgp:{fields['blgp']}")

    def _require_lanes(self) -> None:
        """Raise `WaveStop` where lanes have as much of the sparse matrix as of the other one: AMD's
        documents do not say which elements."""
        sparse, dense = self.sources[0].register, self.sources[1].register
        if not (self.operation.name.startswith("v_swmmac") and sparse and dense):
            return
        if dense.size != 2 * sparse.size:
            raise not_simulated("a sparse product of wave64 whose matrices are in different lanes")

    def _require_blocks(self, rows: int, size: int, number: int) -> None:
        """Raise `WaveStop` where cbsz and abid name blocks that the matrices have not."""
        last = self.operation.expression.rpartition(", ")[2].rstrip(")")
        blocks = int(last) if self.operation.expression.count(", ") == 5 else 1
        if 1 << size > blocks or number >> size:
            raise not_simulated(f"{self.name} cbsz:{size} abid:{number} of {blocks} blocks")

    def _filled_tile(self, kind: str, operand: Operand) -> str:
        """Return a constant in all elements."""
        result = self.results[0].register
        assert result is not None
        number = operand.unsigned(64)
        if kind != "f64":
            number = hex(_single_bits(int(number, 16)))
        count = result.size // (2 if kind == "f64" else 1)
        if kind in ("f16", "bf16"):
            if int(number, 16):
                raise not_simulated(f"{self.name} with a constant that is not 0")
            count = result.size * (1 if self.target.generation == 11 else 2)
            return f"filled({'f32' if kind == 'bf16' else kind}(0), {count}, w)"
        name = "i32" if kind == "i32" else kind
        bits = 64 if kind == "f64" else 32
        value = f"u{bits}({number}).view({name})"
        return f"filled({value}, {count}, w)"

    def _tile_write(self, kind: str, destination: Operand, variable: str) -> list[str]:
        """Return a matrix in as many registers as the encoding says."""
        register = destination.register
        assert register is not None
        bank = "v" if register.bank == "v" else "av"
        lines = []
        if kind in ("f16", "bf16") and self.target.generation == 11:
            is_high = self.item.sources[2].modifiers & OP_SELECT
            kept = "row & 0xffff |" if is_high else "row & 0xffff0000 |"
            moved = ".astype(u32) << 16" if is_high else ""
            return [
                *self._marks(destination, register.size),
                f"for n in range({register.size}):",
                f"    row = {bank}[{register.first} + n]",
                f"    row[:] = {kept} raw_bits({variable}[n], '{kind}'){moved}",
            ]
        lines.append(f"{variable}_ = untiled({variable}, '{kind}', {register.size})")
        lines += self._marks(destination, register.size)
        for number in range(register.size):
            lines.append(f"{bank}[{register.first + number}][:] = {variable}_[{number}]")
        return lines
