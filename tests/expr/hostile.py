"""Hostile expressions: what each costs is measured in a process of its own.

`python tests/expr/hostile.py` reads names, one in a line, and prints a JSON object for each:
outcome, megabytes. The processes are copies of the one that has loaded the modules.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context, ExprLoc, LocList, UnitFormat
from dwarfgpu.expr.decode import encode
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import Result, evaluate, final_stack
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory
from dwarfgpu.view.location_json import entry_json
from dwarfgpu.view.location_text import location_text
from tools.worlds import Machine

FORM: Final = UnitFormat()
MANY = 25_000
"""Operations or composites; tests of work take fewer."""
STEPS: Final = 5 * MANY
ARCH: Final = architecture("gfx942")
A: Final = 0x100
"""The entries that cases fill in: A and the 32 after it."""


def op(name: str, *operands: Operand) -> bytes:
    return encode(OPERATIONS[name], operands, AMD_PROVISIONAL, FORM)


DIES: dict[int, ExprLoc | LocList] = {}
TYPES = {
    0x20: BaseType("int", "signed", 32),
    0x21: BaseType("huge", "unsigned", 1 << 60),
}
UNIT = ExplicitUnit(FORM, AMD_PROVISIONAL, TYPES, locations=DIES)


def context() -> Context:
    """Of more steps than by default: most cases are about what an operation costs."""
    memory = Location((SingleLocation(Memory(ARCH.address_space(0)), 0),))
    frame = ExplicitFrame(ARCH, given_frame_base=memory)
    machine = Machine(Random(1).randbytes(509), ARCH)
    return Context(
        ARCH, wave=0, lane=3, frame=frame, pc=5, unit=UNIT, target=machine, result_kind="location",
        limits=Limits(steps=STEPS),
    )  # fmt: skip


def die(number: int, *expressions: bytes) -> None:
    """Entry A + number: an expression, or a list of several that all match."""
    if len(expressions) == 1:
        DIES[A + number] = ExprLoc(expressions[0], UNIT)
    else:
        entries = tuple(LocationListEntry(expression, 0, 100) for expression in expressions)
        DIES[A + number] = LocList(entries, UNIT)


def result(data: bytes) -> Result:
    return evaluate(data, context())


def used(data: bytes, size_bits: int = 32, limits: Limits | None = None) -> str:
    """Evaluate, read, write, compare and show; what reading gives, in one word."""
    ctx = evolve(context(), limits=limits or Limits(steps=STEPS))
    location = evaluate(data, ctx)
    assert isinstance(location, Location)
    location_text(location)
    json.dumps(entry_json(location, "little"))
    repr(location)
    assert location == evaluate(data, ctx) and hash(location)
    comparing = evolve(ctx, comparison=Comparison()).access
    for use in (comparing.read, lambda a, b: ctx.access.write(a, b, 0)):
        with contextlib.suppress(DwarfGpuError):
            use(location, size_bits)
    contents = ctx.access.read(location, size_bits)
    return "bits" if contents.is_complete else "unknown bits"


VALUE8: Final = op("implicit_value", b"abcdefgh")
OTHER8: Final = op("implicit_value", b"ABCDEFGH")


def growing(count: int) -> bytes:
    """Each composite holds the one before it, and a byte."""
    out = [op("implicit_value", b"a")]
    for index in range(count):
        out.append(op("piece", index + 1) + op("implicit_value", b"b") + op("piece", 1))
        out.append(op("LLVM_piece_end"))
    return b"".join(out)


def doubling(step: Callable[[int], bytes], count: int) -> bytes:
    return VALUE8 + b"".join(step(index) for index in range(count))


def _mutual_calls() -> Result:
    die(0, op("call2", A + 1))
    die(1, op("call2", A))
    return result(op("call2", A))


def _pointer_cycle() -> Result:
    """Two variables that each are a pointer to the other's object."""
    pointed = op("deref") + op("lit0") + op("LLVM_form_aspace_address")
    die(0, op("implicit_pointer", A + 1, 0) + pointed)
    die(1, op("implicit_pointer", A, 0) + pointed)
    return result(op("implicit_pointer", A, 0) + pointed)


def _entry_values() -> Result:
    data = op("reg16")
    for _ in range(200):
        data = op("entry_value", data)
    return result(data)


def _many_places() -> str:
    die(0, *(op("regx", 2560 + n) for n in range(200)))
    return used(op("call2", A))


def _places_in_places() -> str:
    """Two places, each a composite of what the entry before it describes, twice."""
    die(0, op("regx", 2560), op("regx", 2561))
    for number in range(1, 20):
        twice = op("call2", A + number - 1) + op("piece", 1) + op("call2", A + number - 1)
        first = twice + op("piece", 1) + op("LLVM_piece_end")
        die(number, first, first + op("piece", 2) + op("LLVM_undefined") + op("piece", 1))
    return used(op("call2", A + 19), 8)


def _loop_over_a_list() -> Result:
    """A long list that matches nowhere, evaluated in a loop."""
    DIES[A] = LocList((LocationListEntry(b"", 900, 901),) * 10_000, UNIT)
    body = op("call2", A) + op("drop")
    return result(body + op("skip", -len(body) - 3))


def _large_constants() -> Result:
    body = op("implicit_value", bytes(20_000))
    return result(body + op("skip", -len(body) - 3))


CASES: Final[dict[str, Callable[[], object]]] = {
    "extend 2**60": lambda: result(op("lit0") + op("LLVM_extend", 64, 2**60)),
    "extend 2**60 read": lambda: used(op("lit0") + op("LLVM_extend", 64, 2**60), 2**66),
    "extend 2**60 a little": lambda: used(op("regx", 2560) + op("LLVM_extend", 64, 2**60), 640),
    "extend 2**62": lambda: result(op("lit0") + op("LLVM_extend", 64, 2**62)),
    "skip to itself": lambda: result(op("skip", -3)),
    "loop": lambda: result(op("nop") + op("skip", -4)),
    "growing stack": lambda: result(op("lit1") + op("skip", -4)),
    "piece_end of piece": lambda: used(op("lit0") + (op("piece", 4) + op("LLVM_piece_end")) * MANY),
    "extend of extend": lambda: used(op("regx", 2560) + op("LLVM_extend", 32, 1) * MANY),
    "shrinking extends": lambda: used(
        op("lit0")
        + op("LLVM_extend", 1, 2 * MANY)
        + b"".join(op("LLVM_extend", 2 * MANY - n, 1) for n in range(MANY))
    ),
    "overlay of overlay": lambda: used(
        VALUE8 + (OTHER8 + op("lit1") + op("lit1") + op("LLVM_overlay")) * (MANY // 2)
    ),
    "two-part nest": lambda: used(
        VALUE8 + (op("piece", 4) + OTHER8 + op("piece", 4) + op("LLVM_piece_end")) * (MANY // 2),
        64,
    ),
    "growing nest": lambda: result(growing(MANY)),
    # Not as long as any of the case before: an expression that was decoded is kept.
    "growing nest, allowed": lambda: used(growing(MANY // 4 - 1), 8, Limits(STEPS, depth=MANY)),
    "select of select": lambda: used(
        VALUE8 + (OTHER8 + op("lit2") + op("LLVM_select_bit_piece", 32, 2)) * MANY, 64
    ),
    "pieces of a nest": lambda: used(
        VALUE8
        + (OTHER8 + op("lit2") + op("LLVM_select_bit_piece", 32, 2)) * (MANY // 4)
        + op("pick", 0)
        + op("piece", 4)
        + (op("pick", 1) + op("piece", 4)) * (MANY // 4)
    ),
    "doubling extends": lambda: used(
        doubling(lambda n: op("LLVM_extend", 64 << n, 2), 58), 1 << 16
    ),
    "doubling overlays": lambda: used(
        doubling(lambda n: op("dup") * 2 + op("lit1") + op("lit2") + op("LLVM_overlay"), 60)
    ),
    "doubling selects": lambda: used(
        doubling(lambda n: op("dup") + op("lit1") + op("LLVM_select_bit_piece", 32, 2), 60), 64
    ),
    "doubling read whole": lambda: used(
        doubling(lambda n: op("LLVM_extend", 64 << n, 2), 58), 1 << 28
    ),
    "pieces on a deep stack": lambda: used(
        op("lit0") * MANY + (op("piece", 1) + op("lit0")) * MANY + op("piece", 1)
    ),
    "unfinished pieces shown": lambda: repr(final_stack(op("piece", 4) * MANY, context())),
    "const_type of 255 bytes": lambda: result(op("const_type", 0x20, bytes(255))),
    "padded ULEB": lambda: result(b"\x10\x85" + b"\x80" * 10_000 + b"\x00"),
    "padded SLEB": lambda: result(b"\x11\x85" + b"\x80" * 10_000 + b"\x00"),
    "padded ULEB of a megabyte": lambda: result(b"\x10\x85" + b"\x80" * (1 << 20) + b"\x00"),
    "huge ULEB": lambda: result(b"\x10" + b"\xff" * 10_000 + b"\x7f"),
    "huge size": lambda: result(op("lit0") + b"\x93" + b"\xff" * 10_000 + b"\x7f"),
    "huge displacement": lambda: result(b"\x91" + b"\xff" * 10_000 + b"\x3f"),
    "huge block": lambda: result(b"\x9e" + b"\xff" * 10_000 + b"\x7f"),
    "huge base type": lambda: result(op("lit1") + op("convert", 0x21)),
    "huge pick": lambda: result(op("lit0") + op("pick", 255)),
    "mutual calls": _mutual_calls,
    "implicit pointer cycle": _pointer_cycle,
    "nested entry values": _entry_values,
    "a piece of 2**20 bits": lambda: used(op("lit0") + op("bit_piece", 2**20, 3), 2**20),
    "many places": _many_places,
    "places in places": _places_in_places,
    "loop over a list": _loop_over_a_list,
    "large constants": _large_constants,
    "checked": lambda: check(op("lit1") * MANY, AMD_PROVISIONAL, FORM, ARCH),
    "bits of one large constant": lambda: used(
        op("implicit_value", bytes(1 << 16))
        + op("pick", 0)
        + op("piece", 1)
        + (op("pick", 1) + op("bit_piece", 1, 77)) * 20_000,
        20_008,
    ),
}


SIZED: Final = (
    "piece_end of piece", "extend of extend", "shrinking extends", "overlay of overlay",
    "two-part nest", "growing nest", "growing nest, allowed", "select of select",
    "pieces of a nest", "unfinished pieces shown", "checked",
)  # fmt: skip
"""The cases whose size is MANY."""


def measured(name: str) -> str:
    """What a case costs this process."""
    result(op("lit0"))
    gc.collect()
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        results = CASES[name]()
        outcome = (
            results if isinstance(results, str) and len(results) < 100 else type(results).__name__
        )
    except DwarfGpuError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000
        outcome = error.kind
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return json.dumps({"outcome": outcome, "megabytes": (peak - base) / 1024})


def main() -> None:
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            print(measured(line.strip()), flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(json.dumps({"outcome": f"status {status}", "megabytes": 0}), flush=True)


if __name__ == "__main__":
    main()
