"""The call frame in which a session evaluates (AMD text A.2.5.1, `dwarfgpu.expr.context.Frame`).

Law: a frame asks the session that looks at it and keeps nothing of the machine.
"""

from __future__ import annotations

from typing import Protocol

from attrs import evolve, field, frozen

from dwarfgpu.arch.model import Architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scopes import Subprogram
from dwarfgpu.errors import IllFormed, MissingContext, Unsupported
from dwarfgpu.expr.context import Context, ExprLoc, Frame, LocList
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register
from dwarfgpu.model.value import Value
from dwarfgpu.target import WaveId


@frozen
class GivenAddress:
    """An address that the user gives."""

    space: int
    """DWARF number of its address space."""
    address: int


class Focus(Protocol):
    """What a frame asks of the session that looks at it."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def wave(self) -> WaveId: ...

    @property
    def stop(self) -> int | None: ...

    @property
    def given_cfa(self) -> GivenAddress | None: ...

    @property
    def given_frame_base(self) -> GivenAddress | None: ...

    def place(self, given: GivenAddress) -> Location:
        """Where an address given by hand is."""
        ...

    def context(self, frame: TopFrame | None = None) -> Context:
        """The evaluation context of the focus in a frame, without a unit."""
        ...

    def frame_base(self, frame: TopFrame, attribute: ExprLoc | LocList) -> Location:
        """The frame base that an attribute describes (A.3.3.5)."""
        ...


@frozen(eq=False)
class TopFrame:
    """The call frame that executes, of a wave at a program location in a code object."""

    session: Focus = field(repr=False)
    code_object: CodeObject | None
    pc: int | None
    level: int = 0
    is_for_frame_base: bool = field(default=False, kw_only=True)
    """While its own frame base is evaluated (A.3.3.5: it may not use DW_OP_fbreg)."""

    @property
    def architecture(self) -> Architecture | None:
        return self.session.architecture

    @property
    def subprogram(self) -> Subprogram | None:
        if self.code_object is None or self.pc is None:
            return None
        return self.code_object.scopes.subprogram_at(self.pc)

    def register(self, number: int) -> Location:
        raise AssertionError("the top frame's registers are the wave's")

    def entry_register(self, number: int) -> Location:
        """By the architecture's default rule, where no call frame information says otherwise."""
        info = None if self.code_object is None else self.code_object.file
        if info is not None and any(
            info.has_section(name) for name in (".debug_frame", ".eh_frame")
        ):
            raise Unsupported(
                "frames are not unwound yet: the call frame information that tells what register "
                f"{number} held on entry is not used"
            )
        session = self.session
        if session.architecture.machine != "AMDGPU":
            raise MissingContext(f"no call frame information tells register {number} on entry")
        storage = Register(session.architecture.register(number), session.wave)
        return Location((SingleLocation(storage),), session.stop)

    def cfa(self) -> Location:
        given = self.session.given_cfa
        if given is None:
            raise MissingContext("the context has no canonical frame address (CFA)")
        return self.session.place(given)

    def frame_base(self) -> Location:
        if self.is_for_frame_base:
            raise IllFormed("DW_AT_frame_base contains DW_OP_fbreg")
        given = self.session.given_frame_base
        if given is not None:
            return self.session.place(given)
        subprogram = self.subprogram
        if subprogram is None:
            raise MissingContext("the context has no subprogram, whose frame base is needed")
        attribute = subprogram.frame_base
        if attribute is None:
            raise IllFormed(f"{subprogram.name} has no DW_AT_frame_base")
        return self.session.frame_base(self, attribute)

    def for_frame_base(self) -> TopFrame:
        """The frame while its own frame base is evaluated."""
        return evolve(self, is_for_frame_base=True)

    def caller(self) -> tuple[Frame, int]:
        if self.code_object is not None:
            raise Unsupported("frames are not unwound yet: the calling frame is not known")
        raise MissingContext("the context has no calling frame")

    def entry_value(self, expression: bytes) -> Value | None:
        return None

    def lane_was_active(self, lane: int) -> bool | None:
        return None

    def program_location(self, lane: int | None) -> int | None:
        return self.pc
