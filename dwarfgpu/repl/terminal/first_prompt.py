"""The first prompt, on the terminal before the line editor is loaded.

Law: what is typed from then on is shown once and read once, by the line editor: until it reads,
the terminal shows no key, ends no line and makes no signal.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from dwarfgpu.repl.shell import Shell

_STDIN: Final = 0
_STDOUT: Final = 1
_LEAVING: Final = b"\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\r\n\x1b[J"
"""Pasted text unmarked, long lines wrapped, the cursor shown, no colour, nothing below."""
_INPUT_FLAGS, _LOCAL_FLAGS, _CHARACTERS = 0, 3, 6
"""Their positions in the attributes of a terminal."""


def show_first_prompt(shell: Shell) -> Callable[[], None]:
    """Print the prompt, which the line editor draws over; return what restores the terminal.

    A prompt that may take more than one row, and one after an unfinished line, is left to the line
    editor.
    """
    restore = _silent(_STDIN)
    try:
        _show_prompt(shell)
    except BaseException:  # an interrupt too, and an output that cannot be written
        restore()
        raise
    return restore


def _show_prompt(shell: Shell) -> None:
    streams, prompt = shell.console.streams, shell.prompt
    is_simple = prompt.isascii() and prompt.isprintable() and not streams.unended
    if is_simple and len(prompt) < _columns():
        shown = f"\x1b[1m{prompt}\x1b[0m" if has_prompt_colours(shell) else prompt
        streams.out.write(shown)
        streams.out.flush()


def modes_before() -> Callable[[], None]:
    """Return what gives the terminal back to the shell as it is now, at whatever time: for a signal
    that ends the process."""
    try:
        import termios
    except ImportError:  # another operating system
        return lambda: None
    try:
        modes = termios.tcgetattr(_STDIN)
    except termios.error:  # standard input is another stream
        return lambda: None

    def leave() -> None:
        with suppress(termios.error):  # the terminal is closed
            termios.tcsetattr(_STDIN, termios.TCSANOW, modes)
        with suppress(OSError):
            os.write(_STDOUT, _LEAVING)

    return leave


def has_prompt_colours(shell: Shell) -> bool:
    """Return whether the prompt and what is typed are coloured."""
    return not os.environ.get("NO_COLOR") and shell.settings.flag("style enabled")


def _columns() -> int:
    try:
        return os.get_terminal_size().columns
    except OSError:
        return 0


def _silent(descriptor: int) -> Callable[[], None]:
    """Switch a terminal to the modes of the line editor; return what switches it back, once."""
    try:
        import termios
    except ImportError:  # another operating system: it shows keys that are typed early
        return lambda: None
    try:
        modes = termios.tcgetattr(descriptor)
        before = [termios.tcgetattr(descriptor)]
        modes[_INPUT_FLAGS] &= ~(
            termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR
        )
        modes[_LOCAL_FLAGS] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        modes[_CHARACTERS][termios.VMIN] = 1
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    except termios.error:  # standard input is another stream
        return lambda: None

    def restore() -> None:
        if before:
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, before.pop())

    return restore
