"""Which calls begin and return while a wave is stepped: GDB compares the identities of frames.

Callers of most functions of AMD GPUs cannot be found. Two facts do without them: only a call leads
to the entry of a function, and a return leads behind a call that was not executed just now.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.calls.gpu_callers import follows_call, kernel_in
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import MissingContext
from dwarfgpu.session.session import Session

Passage: TypeAlias = Literal["call", "return"]
_LONGEST_CALL: Final = 16
"""Bytes of an instruction that calls, at most."""


class FollowedCalls:
    """The call in which the steps of a wave begin, and those that begin later."""

    def __init__(self, session: Session) -> None:
        self._returns = [_return_address(session)]
        """Where the calls return, the innermost last; None where frames do not say so."""

    def passage(self, session: Session, stepped: Range) -> Passage | None:
        """Return what has led to a program location: a call, the return of the call in which the
        steps began, or neither.

        `stepped`: the code where the last instructions were; empty for one instruction.
        """
        pc = session.pc
        if pc is None:
            return None
        if _is_called(session, stepped):
            self._returns.append(_return_address(session))
            return "call"
        if _is_behind(pc, stepped) or not self._has_returned(session, pc):
            return None
        self._returns.pop()
        if self._returns:
            return None
        self._returns.append(_return_address(session))
        return "return"

    def _has_returned(self, session: Session, pc: int) -> bool:
        address = self._returns[-1]
        if address is not None:
            return pc == address
        return follows_call(session.code_objects, session.architecture, pc)


def is_at_entry(session: Session) -> bool:
    """Return whether the first instruction of a function is the next one."""
    pc, subprogram = session.pc, session.frame.subprogram
    if pc is None or subprogram is not None:
        return subprogram is not None and pc in {span.begin for span in subprogram.ranges}
    code_object = code_object_at(session.code_objects, pc)
    if code_object is None:
        return False
    in_file = pc - code_object.load_address
    symbols = (file.symbol_before(in_file) for file in symbol_files(code_object))
    return any(symbol is not None and symbol.address == in_file for symbol in symbols)


def _is_called(session: Session, stepped: Range) -> bool:
    """Return whether a call has led to a program location; a jump to the entry, as of a loop
    there, leaves the return address as it is."""
    pc = session.pc
    if pc is None or not is_at_entry(session):
        return False
    address = _return_address(session)
    if address is not None:
        return _is_behind(address, stepped)
    code_object = code_object_at(session.code_objects, pc)
    return code_object is None or kernel_in(code_object, pc) is None


def _is_behind(address: int, stepped: Range) -> bool:
    """Return whether an address follows an instruction of stepped code."""
    begin, end = stepped
    return begin < address <= (end if end > begin else begin + _LONGEST_CALL)


def _return_address(session: Session) -> int | None:
    """Return where the innermost call returns; None if that is unknown."""
    session = session.top or session
    try:
        while True:
            session, address = session.calling()
            physical = session.physical_frame
            if physical is None or not physical.is_tail_call:
                return address
    except MissingContext:
        return None
