"""The machine of a debug session: from a core file, from a state, or made by a program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import field, frozen
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core
    from dwarfgpu.machine.target import WaveId
    from dwarfgpu.objfile.elf import ObjectFile


@frozen
class SearchFolders:
    """The folders of files that other files name."""

    sysroot: str | None = None
    """The root of the libraries of a core file."""
    debug_directories: tuple[str, ...] = DEBUG_DIRECTORIES


class Opener(Protocol):
    """Opens files for the commands `file`, `load` and `core-file`, as the first ones were."""

    @property
    def folders(self) -> SearchFolders:
        """Return where it searches."""
        ...

    def searching(self, folders: SearchFolders) -> Opener:
        """Return an opener that searches elsewhere."""
        ...

    def code_object(self, focus: Session, path: str | None) -> Opened:
        """Open the machine with another code object, or without one, and the same focus."""
        ...

    def state(self, path: str) -> Opened:
        """Open another state; `UsageError` if it cannot be read."""
        ...

    def resumable(self, focus: Session, core: Core) -> Session:
        """Return a session on the waves of a core file, which can run; `Unsupported` if they
        cannot."""
        ...

    def keep_paths(self) -> None:
        """Make file names absolute, so that they stay valid after the working directory
        changes."""
        ...

    def core(self, focus: Session, path: str | None, *, wave: WaveId | None = None) -> Opened:
        """Open another core file, or close it; `UsageError` if it cannot be read.

        `wave`: the one in focus, by default that of the core file.
        """
        ...


@frozen(eq=False)
class OpenedMachine:
    """The machine of a session, without registers and memory."""

    threads: Mapping[WaveId, str] = field(factory=dict)
    """The names of the waves of a state, or of the threads of a core file by GDB's numbers."""
    core: Core | None = None
    """The open core file."""
    signals: Mapping[WaveId, JsonObject] = field(factory=dict)
    """The signals that ended threads of a core file, as data."""
    state_path: str | None = None
    """The open state file."""
    removed_folder: Path | None = None
    """The folder of the open state file, if the end of the session removes it."""
    recorded: Mapping[ObjectFile, str] = field(factory=dict)
    """As of `Stopped`."""
    file_limits: FileLimits = DEFAULT_FILE_LIMITS
    """For each file that is read, states included."""
    opener: Opener | None = None
    """None if a program made the session: then no other file can be opened."""

    def siginfo(self, wave: WaveId) -> bytes | None:
        """Return the `siginfo_t` of a thread of a core file, empty without one; None for a wave."""
        thread = None if self.core is None else self.core.threads.get(wave)
        return None if thread is None else thread.siginfo

    @property
    def ending_signal(self) -> int:
        """The number of the signal that ended the program; 0 where none is known."""
        thread = None if self.core is None else next(iter(self.core.threads.values()), None)
        return 0 if thread is None else thread.signal


@frozen(eq=False)
class Opened:
    """A machine that was opened, and the focus in it."""

    session: Session
    machine: OpenedMachine
    warnings: tuple[str, ...] = ()
