"""Sessions for scripts: variable readings have text and plain data.

Law: display is a layer above reading, so the session gets its presenter here.
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_fields
from dwarfgpu.base.records import evolve, field, fields, frozen
from dwarfgpu.errors import Unavailable, UndefinedBits, UsageError
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format
from dwarfgpu.machine.target import Target
from dwarfgpu.session.read_variable import Presenter, Reading
from dwarfgpu.session.session import Session as SessionOfReadings
from dwarfgpu.view.json_object import Plain
from dwarfgpu.view.value_data import value_data
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions


@frozen(eq=False)
class ContentsPresenter:
    """Shows readings of a session, and of other lanes of its wave."""

    session: SessionOfReadings

    def _focused(self, reading: Reading) -> SessionOfReadings:
        is_same = reading.lane == self.session.lane
        return self.session if is_same else self.session.focused(reading.lane)

    def text(self, reading: Reading) -> str:
        """Return the contents as GDB prints them, or the reason for missing contents in angle
        brackets."""
        if reading.failure is not None:
            is_lost = isinstance(reading.failure, UndefinedBits)
            return OPTIMIZED_OUT if is_lost else f"<error: {reading.failure}>"
        if reading.pointer is not None:
            return f"({reading.variable.type_text}) <synthetic pointer>"
        focus, variable = self._focused(reading), reading.variable
        value = TypedValue(
            reading.type, reading.location, reading.bits, unit=variable.unit, variable=variable
        )
        unit = variable.unit
        return format(value, focus, FormatOptions().of_source(unit.is_cplusplus, unit.style))

    def value(self, reading: Reading) -> Plain:
        """Return the object D of `dwarfgpu-eval-1`; None if nothing could be read."""
        if reading.pointer is not None:
            return {"unknown": "synthetic pointer"}
        if reading.bits is None:
            return None
        focus = self._focused(reading)
        return value_data(
            reading.bits,
            reading.type,
            endian=focus.architecture.endian,
            architecture=focus.architecture,
            location=reading.location,
            resolver=focus.resolver(),
        )


# Scripts get a message for wrong arguments; other code, with sessions of the base, pays nothing.
@methods_name_wrong_arguments
@frozen(eq=False)
class Session(SessionOfReadings):
    """Code objects, a machine, and where the user looks."""

    presenter: Callable[[SessionOfReadings], Presenter] | None = field(
        default=ContentsPresenter, repr=False, kw_only=True
    )

    def __attrs_post_init__(self) -> None:
        require_right_fields(self, fields)
        if self.wave and self.target is not None:  # 0 is also the default
            self._require_wave(self.target)
        if self.lane is not None:
            self.existing_lane(self.lane)

    def _require_wave(self, target: Target) -> None:
        """Raise `UsageError` for a wave that the machine does not have."""
        try:
            target.architecture_of(self.wave)
        except Unavailable as error:
            raise UsageError(f"Session.wave: {error.message}") from None


def presented(session: SessionOfReadings) -> SessionOfReadings:
    """Return the session, with text and plain data for its readings."""
    if session.presenter is not None:
        return session
    top = None if session.top is None else presented(session.top)
    return evolve(session, top=top, presenter=ContentsPresenter)
