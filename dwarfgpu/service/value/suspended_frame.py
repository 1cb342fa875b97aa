"""The frame of a function that waits for a call whose callers are not found.

Law: of its registers only those are known that a callee restores, as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from dwarfgpu.base.records import define, evolve, field
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import PartlyKnown, RegisterId, WaveId
from dwarfgpu.session.session import Session

FRAME_REGISTERS: Final = ("s32", "s33", "s34")
"""Stack, frame and base pointer (AMDGPU usage, "Non-Kernel Functions")."""
FrameRegisters: TypeAlias = Mapping[tuple[str, int, int], bytes]
"""What was read of them, by name, offset and size."""


@define(eq=False)
class _OfCaller(TargetWithCodeObjects):
    """The machine as a caller sees it whose registers the callee may use."""

    kept: FrameRegisters = field(factory=dict)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        count = (register.size_bits + 7) // 8 - offset_bytes if size_bytes is None else size_bytes
        data = self.kept.get((register.name, offset_bytes, count))
        if data is None:
            raise Unavailable(f"the called function may use register {register.name}")
        return data


def suspended_frame(session: Session, returns_to: int, kept: FrameRegisters) -> Session | None:
    """Return the frame of a function that has made a call, seen from the stop in the callee; None
    without the registers by which variables are found."""
    target = session.target
    if not kept or target is None:
        return None
    top = session.top or session
    if isinstance(target, TargetWithCodeObjects):
        own = target.behind, target.loaded_segments, target.has_started
    else:
        own = cast(PartlyKnown, target), (), True
    caller = _OfCaller(*own, kept=kept)
    return evolve(top, pc=returns_to - 1, target=caller, not_entered=0)
