"""Look up commands: frequent ones load their module alone, others load `command_table`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from dwarfgpu.repl.command import AllCommands, Command

FREQUENT: Final = {
    "data.display_commands": ("display",),
    "data.examine_commands": ("x",),
    "data.print_commands": ("print", "p", "inspect", "output"),
    "data.printf_commands": ("echo", "printf"),
    "data.type_commands": ("ptype", "whatis"),
    "files.list_commands": ("list", "l", "info line"),
    "files.source_file_commands": ("info source", "info sharedlibrary"),
    "files.symbol_list_commands": (
        "info functions",
        "info modules",
        "info types",
        "info variables",
    ),
    "files.symbol_commands": ("info address", "info scope", "info symbol"),
    "stack.backtrace_commands": ("backtrace", "bt"),
    "stack.frame_commands": ("up", "down"),
    "stack.locals_commands": ("info args", "info locals"),
    "support.help_commands": ("complete",),
}
"""Words that are commands, by the module that declares them."""
_ATTRIBUTES: Final = {"p": "print_", "print": "print_", "inspect": "print_", "list": "list_",
                      "l": "list_", "bt": "backtrace"}  # fmt: skip


def _loaded() -> Collection[Command]:
    from dwarfgpu.repl.command_table import COMMANDS

    return COMMANDS


ALL_COMMANDS: Final = AllCommands(
    {
        word: (f"dwarfgpu.repl.{module}", _ATTRIBUTES.get(word, word.replace(" ", "_")))
        for module, words in FREQUENT.items()
        for word in words
    },
    _loaded,
)
