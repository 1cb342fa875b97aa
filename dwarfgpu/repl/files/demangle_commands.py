"""`demangle`: the source name of a mangled symbol, with GDB's wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.names.demangle import demangled_clone
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.declared_settings import LANGUAGES
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.file.source_language import frame_language

_USAGE: Final = "Usage: demangle [-l LANGUAGE] [--] NAME"
_OPTION: Final = re.compile(r"(?:-l\s+(?P<language>\S+)|(?P<end>--)|(?P<other>-\S+))\s*")
_ITANIUM: Final = frozenset({"auto", "local", "c++", "rust"})
"""Languages with symbols of the Itanium C++ ABI."""
_OWN: Final = frozenset({"ada", "d", "go", "objective-c"})
"""Languages with symbols of another form."""


@command("demangle", topic="support", complete=completion.SYMBOLS)
def demangle(shell: Shell, argument: str) -> Iterator[Part]:
    """Demangle a mangled name.

    Usage: demangle [-l LANGUAGE] [--] NAME

    The default LANGUAGE is that of the settings, which is that of the frame in focus. Names of the
    Itanium C++ ABI are demangled.
    """
    language, name = _typed(argument)
    if not name or name.startswith("- "):
        raise UsageError(_USAGE)
    if language is None:
        chosen = shell.settings.word("language")
        is_of_frame = chosen in ("auto", "local")
        language = (frame_language(shell.session) or "c") if is_of_frame else chosen
    elif language not in LANGUAGES or language == "unknown":
        raise UsageError(f'Unknown language "{language}"')
    if language in _OWN:
        raise Unsupported(f"names of {language} are not demangled")
    plain = demangled_clone(name) if language in _ITANIUM else None
    if plain is None:
        raise UsageError(f'Can\'t demangle "{name}"')
    yield Output(plain, {"name": name, "demangled": plain})


def _typed(argument: str) -> tuple[str | None, str]:
    """Return the language after `-l`, and the name. `UsageError` for another option."""
    language: str | None = None
    while match := _OPTION.match(argument):
        if match["other"] == "-l":
            raise UsageError(_USAGE)
        if match["other"]:
            option = match["other"]
            raise UsageError(
                f"Unrecognized option '{option}' to demangle command.  Try \"help demangle\"."
            )
        argument = argument[match.end() :]
        if match["end"]:
            break
        language = match["language"]
    return language, argument
