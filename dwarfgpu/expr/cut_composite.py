"""Cut an expression that makes a composite into its parts (AMD text A.2.5.4.4.6).

A part is the operations up to and with one of DW_OP_piece or DW_OP_bit_piece. Compilers write long
composites of few different parts.

Law: like encodings of operations, those of parts are not prefixes of one another, so that a part
that was decoded once is known by its bytes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import CACHE_SIZE, PROBED_SIZES, decode
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.ops.composite import PIECES

_MAX_BYTES: Final = 64
"""Maximum size of a part that is kept; a register and its piece have five."""


class CompositeParts:
    """The parts of the composites of units that read expressions alike."""

    def __init__(self, dialect: Dialect, form: UnitFormat) -> None:
        self._dialect = dialect
        self._form = form
        self._valid: set[bytes] = set()
        self._sizes: list[list[int]] = [[] for _ in range(256)]
        """The sizes of known parts by their first byte."""

    def cut(self, data: bytes) -> list[bytes] | None:
        """Return the parts of an expression; None if it has operations after the last one, may
        transfer control, or what a part means depends on others."""
        parts: list[bytes] = []
        position, end, valid, sizes = 0, len(data), self._valid, self._sizes
        while position < end:
            for size in sizes[data[position]]:
                part = data[position : position + size]
                if part in valid:
                    break
            else:
                rest = self._decoded(data[position:])
                return None if rest is None else parts + rest
            parts.append(part)
            position += len(part)
        return parts

    def _decoded(self, data: bytes) -> list[bytes] | None:
        """Return the parts by the operations, and keep them."""
        expression, dialect = decode(data, self._dialect, self._form), self._dialect
        instructions = expression.instructions
        distinct = [instruction.operation for instruction in instructions.distinct]
        if (
            not instructions
            or expression.error is not None
            or dialect.dwarf6  # a piece takes the composite as an operand
            or instructions[len(instructions) - 1].operation.name not in PIECES
            or any(operation.transfers for operation in distinct)
            # Upstream clang writes no such operation: where one is, all are read literally.
            or (dialect.upstream_clang and any(op.name.startswith("LLVM_") for op in distinct))
        ):
            return None
        ends = [*instructions.offsets[1:], len(data)]
        is_piece = [operation.name in PIECES for operation in distinct]
        parts: list[bytes] = []
        start = 0
        for number, end in zip(instructions.order, ends, strict=True):
            if is_piece[number]:
                parts.append(data[start:end])
                start = end
        self._keep(parts)
        return parts

    def _keep(self, parts: list[bytes]) -> None:
        for part in parts:
            sizes = self._sizes[part[0]]
            if len(part) > _MAX_BYTES or part in self._valid:
                continue
            if len(part) not in sizes:
                if len(sizes) >= PROBED_SIZES:
                    continue
                sizes.append(len(part))
            if len(self._valid) >= CACHE_SIZE:
                self._valid.clear()  # what comes often comes again
            self._valid.add(part)


@lru_cache(maxsize=8)
def composite_parts(dialect: Dialect, form: UnitFormat) -> CompositeParts:
    """Return the parts of the units of a dialect and a format."""
    return CompositeParts(dialect, form)
