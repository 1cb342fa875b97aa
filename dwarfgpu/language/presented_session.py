"""Sessions for scripts: variable readings have text and plain data.

Law: display is a layer above reading, so the session gets its presenter here.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.registry import MACHINES
from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_fields
from dwarfgpu.base.arguments import WrongType, integer, wrong_value
from dwarfgpu.base.records import define, evolve, field, fields, force_setattr, frozen
from dwarfgpu.cfi.quirk_names import QUIRK_NAMES
from dwarfgpu.dwarf.loaded_code import with_loaded_memory
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import InconsistentContext, Unavailable, UndefinedBits, UsageError
from dwarfgpu.expr.context import require_same_architecture
from dwarfgpu.expr.dialect.dialect import vgpr_contents
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import PartlyKnown, Target
from dwarfgpu.session.reading import Presenter, Reading
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.session import Session as SessionOfReadings
from dwarfgpu.view.json_object import Plain
from dwarfgpu.view.object_printer import unknown_text
from dwarfgpu.view.value_data import value_data
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions

if TYPE_CHECKING:
    from typing import Never

    from dwarfgpu.dwarf.code_object import CodeObject


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
        if reading.bits is None or unknown_text(reading.bits) is not None:
            return None
        architecture = self.session.architecture
        return value_data(
            reading.bits,
            reading.type,
            endian=architecture.endian,
            architecture=architecture,
            location=reading.location,
            resolver=Resolver(  # few types depend on it
                lambda: self._focused(reading).context(), self.session.loaded_objects
            ),
        )


_OWN: Final = frozenset({"code_objects", *(spec.name for spec in fields(TargetWithCodeObjects))})
"""What a `StateWithFiles` has that its state has not."""


@define(eq=False)
class StateWithFiles(TargetWithCodeObjects):
    """A state with the read-only memory of code objects, which a state leaves out.

    Scripts use it as the state (`set_register`, `fill = 0`): all other names are those of the
    state.
    """

    code_objects: frozenset[CodeObject] = field(default=frozenset(), kw_only=True)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or name in _OWN:  # what a copy asks before it has them
            raise AttributeError(name)
        return getattr(self.behind, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in _OWN:
            super().__setattr__(name, value)
        else:
            setattr(self.behind, name, value)

    def __deepcopy__(self, memo: dict[int, object]) -> StateWithFiles:
        state = deepcopy(self.behind, memo)
        segments, code_objects = self.loaded_segments, self.code_objects
        return StateWithFiles(state, segments, self.has_started, code_objects=code_objects)

    def __reduce_ex__(self, protocol: object) -> Never:
        raise WrongType(
            "Session.target: its memory belongs to open files and cannot be pickled; pickle the "
            "`StateTarget` that the session was made with, and open the files again"
        )


# Scripts get a message for wrong arguments; other code, with sessions of the base, pays nothing.
@methods_name_wrong_arguments
@frozen(eq=False)
class Session(SessionOfReadings):
    """Code objects, a machine, and where the user looks."""

    presenter: Callable[[SessionOfReadings], Presenter] | None = field(
        default=ContentsPresenter, repr=False, kw_only=True
    )

    def find_variable(self, name: str) -> Variable | None:
        """Return the variable of a name by the rules of the language in focus; None if it means
        none."""
        if not self.has_own_names:
            return super().find_variable(name)
        from dwarfgpu.language.name_resolution import Names  # most names are of C

        return Names(self).find_variable(name)

    def __attrs_post_init__(self) -> None:
        require_right_fields(self, fields)
        self._require_numbers()
        if self.target is not None:
            self._require_wave(self.target)
        self._require_code()
        if self.lane is not None:
            self.existing_lane(self.lane)
        if isinstance(self.target, StateTarget | StateWithFiles):
            force_setattr(self, "target", self._completed(self.target))

    def _completed(self, target: StateTarget | StateWithFiles) -> Target:
        """Return a state with the memory of the code objects of this session, in place of those of
        another session."""
        code_objects = frozenset((*self.code_objects, *self.other_code_objects))
        if isinstance(target, StateWithFiles) and target.code_objects == code_objects:
            return target
        state: PartlyKnown = target.behind if isinstance(target, StateWithFiles) else target
        if not code_objects:
            return state
        segments = with_loaded_memory(state, self.loaded).loaded_segments
        return StateWithFiles(state, segments, has_started=True, code_objects=code_objects)

    def _require_numbers(self) -> None:
        """Raise `UsageError` for a number that nothing can have."""
        if self.pc is not None and not self.level:  # a caller may be before a return address of 0
            integer("Session.pc", self.pc, 0, (1 << self.architecture.address_bits) - 1)
        if self.iteration is not None:
            integer("Session.iteration", self.iteration, 0)
        if self.given_lanes is not None:
            integer("Session.given_lanes", self.given_lanes, 1)
        if unknown := sorted(self.quirks.difference(QUIRK_NAMES)):
            raise wrong_value("Session.quirks", unknown[0], " or ".join(QUIRK_NAMES))
        vgpr_contents(self.quirks)  # raises for both

    def _require_wave(self, target: Target) -> None:
        """Raise `UsageError` for a wave that the machine does not have, `InconsistentContext` for
        one of another architecture."""
        try:
            of_wave = target.architecture_of(self.wave)
        except Unavailable as error:
            if self.wave:  # 0 is also the default
                raise UsageError(f"Session.wave: {error.message}") from None
            return
        require_same_architecture(self.architecture, of_wave, self.wave)

    def _require_code(self) -> None:
        """Raise `InconsistentContext` if all code objects are of other machines; a process with
        GPUs has some of each, and a file may be of a machine that is not known here."""
        arch = self.architecture
        for code_object in self.code_objects:
            file = code_object.file
            if (file.machine, file.endian) == (arch.machine, arch.endian):
                return
            if file.machine not in MACHINES.values():
                return
        if self.code_objects:
            raise InconsistentContext(
                f"target architecture {arch.name} and the code object {self.code_objects[0].name} "
                f"for {self.code_objects[0].file.machine} disagree"
            )


def presented(session: SessionOfReadings) -> SessionOfReadings:
    """Return the session, with text and plain data for its readings."""
    if session.presenter is not None:
        return session
    top = None if session.top is None else presented(session.top)
    return evolve(session, top=top, presenter=ContentsPresenter)
