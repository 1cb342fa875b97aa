"""GDB's warning that the language that was set is not that of the frame in focus."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.file.source_language import frame_language
from dwarfgpu.session.session import Session

AUTOMATIC: Final = ("auto", "local")
"""Values of the setting that mean the language of the frame."""
LANGUAGE_DIFFERS: Final = "Warning: the current language does not match this frame."


def language_differs(session: Session, chosen: str) -> bool:
    """Return whether debug information says another language than the chosen one for the frame in
    focus."""
    if chosen in AUTOMATIC or frame_language(session) in (None, chosen):
        return False
    try:
        code_object, pc = session.code_object, session.program_location
        return (
            code_object is not None
            and pc is not None
            and code_object.scopes.unit_at(pc) is not None
        )
    except DwarfGpuError:
        return False


class LanguageWarning:
    """Whether the warning was printed: GDB prints it after one command, and again when the
    automatic language has changed since the setting did."""

    text: Final = LANGUAGE_DIFFERS

    def __init__(self) -> None:
        self._is_given = False
        self._chosen = AUTOMATIC[0]
        self._set_at: str | None = None
        """The language of the frame where the setting became automatic again."""

    def is_due(self, session: Session, chosen: str, *, is_set: bool) -> bool:
        """Return whether to print it after a command; `is_set`: which is "set language"."""
        is_set, self._chosen = is_set or chosen != self._chosen, chosen
        if chosen in AUTOMATIC:
            if self._is_given:  # nothing is asked before
                own = frame_language(session)
                self._set_at = own if is_set else self._set_at
                self._is_given = own == self._set_at
            return False
        if not self._is_given:
            self._is_given = language_differs(session, chosen)
            return self._is_given
        return False
