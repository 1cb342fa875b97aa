"""The prompt on a terminal: line editing, history, completion, colours and the bottom bar."""

from __future__ import annotations

import os
import shutil
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import (
    CompleteEvent,
    Completer,
    Completion,
    ThreadedCompleter,
    get_common_complete_suffix,
)
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition, is_done, is_searching
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.processors import (
    ConditionalProcessor,
    HighlightMatchingBracketProcessor,
)
from prompt_toolkit.lexers import DynamicLexer
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.search import accept_search
from prompt_toolkit.styles import DynamicStyle, Style
from prompt_toolkit.utils import get_cwidth

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.repl.completion import as_in_file, completions, is_completed
from dwarfgpu.repl.console import InputSource
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.bottom_bar import bar_text
from dwarfgpu.repl.terminal.first_prompt import has_prompt_colours
from dwarfgpu.repl.terminal.input_highlighting import CLASS, CommandLexer
from dwarfgpu.repl.terminal.kept_interrupts import interrupts_kept
from dwarfgpu.repl.terminal.pager import CODES
from dwarfgpu.repl.terminal.plain_prompt import adapt, terminal_answer
from dwarfgpu.repl.terminal.source_tokens import COLOURS

STYLE: Final = Style.from_dict(
    {
        "prompt": "bold",
        "bottom-toolbar": "noreverse bg:#444444 fg:#eeeeee",
        "auto-suggestion": "fg:#767676",
        **{f"{CLASS}.{kind}": f"fg:{colour}" for kind, (colour, _) in COLOURS.items()},
        f"{CLASS}.keyword": f"fg:{COLOURS['keyword'][0]} bold",
        f"{CLASS}.comment": f"fg:{COLOURS['comment'][0]} italic",
    }
)
PLAIN_STYLE: Final = Style.from_dict({"bottom-toolbar": "reverse"})


_CHARACTER_LITERAL: Final = pattern(r"'(?:\\[0-7]{1,3}|\\.|[^\\'])'")
_GO_ON: Final = ("/", ":", ".", "(", "->", "=", "'", " ")
"""Ends of completions after which more is to come."""


class _Completer(Completer):
    """Ours, as prompt_toolkit wants them."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        try:
            code_objects = self.shell.session.code_objects
            if self.shell.symbols.are_too_many(code_objects) and is_completed(text):
                self.shell.symbols.require(code_objects, as_in_file(self.shell, text))
            start, candidates = completions(self.shell, text)
        except DwarfGpuError:
            return
        for candidate in candidates:
            yield Completion(candidate.text, start - len(text), display_meta=candidate.about)


def ended(text: str, rest: str) -> str:
    """Return the only completion as it is inserted before the rest of the line: with a blank as in
    GDB, unless there is one, or the completion may continue, as a folder may."""
    return text if text.endswith(_GO_ON) or rest.startswith(" ") else f"{text} "


def _bindings(completer: Completer) -> KeyBindings:
    """Bind Tab and the line search as in GDB: ambiguous completions are listed, never chosen, and
    the found line runs. prompt_toolkit's own Tab is ignored during a completion."""
    bindings = KeyBindings()

    @bindings.add("tab")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        state = buffer.complete_state
        if state is not None and state.current_completion is not None:
            buffer.complete_next()
            return
        document = buffer.document
        offers = list(completer.get_completions(document, CompleteEvent(completion_requested=True)))
        common = get_common_complete_suffix(document, offers)
        if len(offers) == 1:
            buffer.delete_before_cursor(-offers[0].start_position)
            buffer.insert_text(ended(offers[0].text, document.text_after_cursor))
        elif common:
            buffer.insert_text(common)
        elif state is None:
            buffer.start_completion()

    @bindings.add(Keys.Vt100MouseEvent)
    def _(_: KeyPressEvent) -> None:
        """Ignore the mouse: colour codes that are typed look as its events, and cannot be read."""

    @bindings.add("enter", filter=is_searching)
    def _(event: KeyPressEvent) -> None:
        accept_search()
        event.app.current_buffer.validate_and_handle()

    @bindings.add("c-d", filter=Condition(lambda: not get_app().current_buffer.text))
    def _(event: KeyPressEvent) -> None:
        # The word that GDB shows; completing it would load all commands.
        event.current_buffer.insert_text("quit", fire_event=False)
        event.app.exit(exception=EOFError)

    return bindings


class _History(FileHistory):
    """A full disk costs the history, not the debug session; bytes that are not text become `?`."""

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string.encode("utf-8", "replace").decode("utf-8"))


def history_path() -> Path:
    """Return `$XDG_STATE_HOME/dwarfgpu/history`; a relative value is ignored, as the standard
    requires."""
    base = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path("~/.local/state").expanduser()
    return folder / "dwarfgpu" / "history"


def open_history() -> History:
    """Open the history file; the history stays in memory if it cannot be written."""
    try:
        path = history_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with path.open("a+b"):
            pass
    except (OSError, RuntimeError):
        return InMemoryHistory()
    return _History(str(path))


def _is_text(line: str) -> bool:
    """Return whether a line has no bytes that are not UTF-8, which prompt_toolkit does not give to
    an editor."""
    return not any("\ud800" <= character <= "\udfff" for character in line)


def is_unfinished(text: str) -> bool:
    """Return whether a line continues: it ends with a backslash, or has an open bracket."""
    if text.endswith("\\"):
        return True
    depth, quote, is_escaped = 0, "", False
    for character in _CHARACTER_LITERAL.sub("", text):
        if is_escaped:
            is_escaped = False
        elif quote:
            is_escaped = character == "\\"
            quote = "" if character == quote else quote
        elif character == '"':
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
    return depth > 0


def is_open_line(text: str) -> bool:
    """Return whether Enter begins a further line: after an empty one it runs the command, whatever
    brackets are open, as GDB does at once."""
    return is_unfinished(text) and not text.endswith("\n")


def one_line(text: str) -> str:
    """Return several typed lines as one line."""
    return text.replace("\\\n", "").replace("\n", " ")


def lines_of(text: str) -> list[str]:
    """Return the lines of a pasted text, each with its continuation lines."""
    out: list[str] = []
    begun: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        begun.append(line)
        if not is_unfinished("\n".join(begun)):
            out.append(one_line("\n".join(begun)))
            begun = []
    return out + [one_line("\n".join(begun))] * bool(begun)


def conversation(shell: Shell, restore: Callable[[], None] = lambda: None) -> Callable[[], None]:
    """Return what reads and runs commands until `quit` or Ctrl-D; Ctrl-C cancels the line or the
    command.

    `restore` is called when the first line was read: it gives the terminal the modes back that it
    had before the first prompt was shown (`dwarfgpu.repl.terminal.first_prompt`).
    """
    session = _session(shell)
    pasted: deque[str] = deque()

    def leave() -> None:
        if session.app.is_running and not session.app.is_done:
            session.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    def leave_soon() -> None:
        loop = session.app.loop
        if loop is not None:
            with suppress(RuntimeError):  # it is closed
                loop.call_soon_threadsafe(leave)

    def ask(prompt: str) -> str | None:
        if pasted:
            print(f"{prompt}{pasted[0]}", flush=True)
            return pasted.popleft()
        # The line editor does not survive one at any time, nor two of its own handling.
        with interrupts_kept(leave_soon) as kept:
            try:
                shown = FormattedText([("", _begun(shell)), ("class:prompt", prompt)])
                typed = session.prompt(
                    shown,
                    in_thread=_is_in_loop(),
                    handle_sigint=False,
                    pre_run=lambda: leave() if kept else None,
                )
            except EOFError:
                return None
            finally:
                restore()
            if _was_cancelled(session.input):
                raise KeyboardInterrupt
        if kept:
            raise KeyboardInterrupt
        first, *rest = lines_of(typed)
        pasted.extend(rest)
        return first

    shell.console.input = InputSource(ask, terminal_answer, is_interactive=True)

    def converse() -> None:
        while not shell.is_over:
            try:
                adapt(shell)
                shell.symbols.collect(shell.session.code_objects)
                vi = shell.settings.word("editing-mode") == "vi"
                session.editing_mode = EditingMode.VI if vi else EditingMode.EMACS
                while pasted and not pasted[0].strip():  # only who types repeats with an empty line
                    pasted.popleft()
                line = ask(shell.prompt)
                if line is None:
                    return
                shell.execute(line, repeats=True)
            except KeyboardInterrupt:
                pasted.clear()
                shell.console.streams.complain("Quit")

    return converse


def _was_cancelled(source: Input) -> bool:
    """Return whether Ctrl-C was pressed after Enter, while the terminal was still the line
    editor's.

    This waits up to a second for a terminal that does not report its cursor position, and keeps
    typed text for the next line. Text before Ctrl-C is lost, as with a terminal that makes it a
    signal.
    """
    with source.raw_mode():
        keys = [*get_typeahead(source), *source.read_keys()]
    before = [number for number, key_press in enumerate(keys, 1) if key_press.key == Keys.ControlC]
    store_typeahead(source, keys[max(before, default=0) :])
    return bool(before)


def _is_in_loop() -> bool:
    """Return whether the program that embeds the prompt is in an event loop, which has its own."""
    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True


def _begun(shell: Shell) -> str:
    """Return the unfinished last line of an answer, which stays before the prompt as in GDB.

    The line editor starts its lines itself, so that it must print that again.
    """
    text = CODES.sub("", shell.console.streams.unended).expandtabs()
    shell.console.streams.unended = ""
    if get_cwidth(text) < shutil.get_terminal_size().columns // 2:
        print(end="\r", flush=True)
        return text
    print(flush=True)
    return ""


def _session(shell: Shell) -> PromptSession[str]:
    completer = _Completer(shell)
    is_plain = bool(os.environ.get("NO_COLOR"))
    lexer, style = CommandLexer(), STYLE

    def has_colours() -> bool:
        return has_prompt_colours(shell)

    was_open = False

    def is_open() -> bool:
        """Return whether the line goes on; while the history is searched, as before, because
        prompt_toolkit searches in another control for a line that does."""
        nonlocal was_open
        app = get_app()
        if not app.layout.is_searching:
            was_open = is_open_line(app.current_buffer.text)
        return was_open

    return PromptSession(
        lexer=DynamicLexer(lambda: lexer if has_colours() else None),
        completer=ThreadedCompleter(completer),
        key_bindings=_bindings(completer),
        complete_while_typing=True,
        history=open_history(),
        auto_suggest=AutoSuggestFromHistory(),
        search_ignore_case=True,
        enable_open_in_editor=Condition(lambda: _is_text(get_app().current_buffer.text)),
        enable_suspend=True,
        multiline=Condition(is_open),
        prompt_continuation=lambda width, number, is_soft: (
            "" if is_soft else ">".rjust(max(width - 1, 1)) + " "
        ),
        input_processors=[
            ConditionalProcessor(
                HighlightMatchingBracketProcessor(chars="[](){}"),
                Condition(has_colours) & ~is_done,
            )
        ],
        reserve_space_for_menu=4,  # the default of 8 leaves a third of a small screen empty
        bottom_toolbar=lambda: bar_text(shell, get_app().output.get_size().columns),
        style=DynamicStyle(lambda: style if has_colours() else PLAIN_STYLE),
        include_default_pygments_style=False,
        color_depth=ColorDepth.DEPTH_1_BIT if is_plain else None,
    )
