"""What GDB says on a file, recorded, and what `dwarfgpu debug` says where that is different.

Each `NAME.txt` here is a session: `(gdb) COMMAND` and what GDB 13 prints, errors included.
Where dwarfgpu says something else on purpose, `(dwarfgpu) REASON` and its words follow; REASON is
a heading of docs/gdb-differences.md. `python -m tests.repl.gdb_sessions` records all anew, with the
commands that are there, and marks new differences `(dwarfgpu) ?`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.cli.main import main

REPOSITORY = Path(__file__).parents[3]
FIXTURES = REPOSITORY / "fixtures"
HERE = Path(__file__).parent

FILES = {
    "assigned": ("core/lists.x86_64.O0", "core/lists.x86_64.O0.core"),
    "batch_breakpoints": ("x86_64/places.gcc.O0.v5",),
    "bodies_clang": ("x86_64/bodies.clang.O2.v5",),
    "bodies_gcc": ("x86_64/bodies.gcc.O2.v5",),
    "break_conditions": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "break_spellings": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "break_errors": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "break_places": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "breakpoint_numbers": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "breakpoint_locations": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "calls": ("core/containers.x86_64.libstdcxx", "core/containers.x86_64.libstdcxx.core"),
    "containers": ("core/containers.x86_64.libstdcxx", "core/containers.x86_64.libstdcxx.core"),
    "core_O0": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_O2": ("core/crash.x86_64.O2", "core/crash.x86_64.O2.core"),
    "core_blocks": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_code": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_inlined": ("core/crash.x86_64.O2", "core/crash.x86_64.O2.core"),
    "core_frames": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_without_lines": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_symbols": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_process": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "core_registers": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "demangle": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "declared_places": ("x86_64/places.gcc.O0.v5",),
    "default_lines": ("x86_64/places.gcc.O0.v5",),
    "explicit_locations": ("x86_64/places.gcc.O0.v5",),
    "given_commands": ("x86_64/places.gcc.O0.v5",),
    "objects": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "quoted_places": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "radix": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "without_addresses": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "regexps": ("x86_64/places.gcc.O0.v5",),
    "given_files": ("x86_64/places.gcc.O0.v5",),
    "given_breakpoints": ("x86_64/places.gcc.O0.v5",),
    "shapes": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "names": ("x86_64/meanings.gcc.O0.v5",),
    "names_O2": ("x86_64/meanings.gcc.O2.v4",),
    "demo": ("x86_64/demo.gcc.O0.v5",),
    "inferiors_and_members": ("core/shapes.x86_64.O0", "core/shapes.x86_64.O0.core"),
    "lists_O0": ("core/lists.x86_64.O0", "core/lists.x86_64.O0.core"),
    "lists_O2": ("core/lists.x86_64.O2", "core/lists.x86_64.O2.core"),
    "classes": ("x86_64/types.gcc.O0.v5",),
    "library_types": ("core/containers.x86_64.libstdcxx", "core/containers.x86_64.libstdcxx.core"),
    "printf": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "printf_classes": ("core/containers.x86_64.libstdcxx", "core/containers.x86_64.libstdcxx.core"),
    "removed": ("core/removed.x86_64.O2", "core/removed.x86_64.O2.core"),
    "statics": ("x86_64/statics.gcc.O0.v5",),
    "settings": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "settings_language": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "settings_obeyed": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "settings_types": ("x86_64/types.gcc.O0.v5",),
    "threads": ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core"),
    "without_main": ("x86_64/types.gcc.O0.v5",),
    "types": ("x86_64/types.gcc.O0.v5",),
    "values": ("core/values.x86_64.O0", "core/values.x86_64.O0.core"),
    "values_names": ("core/values.x86_64.O0", "core/values.x86_64.O0.core"),
    "values_program": ("core/values.x86_64.O0",),
}
"""The program of each session, and its core file; paths in the folder of the fixtures."""
NAMES = tuple(name for name in FILES if (HERE / f"{name}.txt").is_file())
_LIBRARY = next(iter(sorted(Path("/usr/share").glob("gcc*/python"))), None)
_PRINTERS = (
    f"python import sys; sys.path.insert(0, {str(_LIBRARY)!r}); "
    "from libstdcxx.v6 import register_libstdcxx_printers; register_libstdcxx_printers(None)"
)
NEEDS_PRINTERS = frozenset({"containers"})
"""The sessions in which GDB has the printers of libstdc++."""
NOT_BATCH = frozenset({"given_breakpoints", "given_commands", "given_files", "radix"})
"""The sessions whose commands are given with `-ex` only, as if they were typed."""
_REMARK = re.compile(r'^(?:note: .*|type "explain .*)\n', re.MULTILINE)
_WARNINGS = re.compile(
    r"warning: (?:Section `.*' in core file too small|Source file is more recent than executable)"
    r"\.\n"
)
"""GDB's, the second where a checkout wrote a source a second after the program."""
_MARK = re.compile(r"\n@@[0-9]+\n")


@frozen
class Exchange:
    """A command and its answers."""

    command: str
    gdb: str
    reason: str | None = None
    """Why dwarfgpu's answer is another one."""
    dwarfgpu: str | None = None

    @property
    def expected(self) -> str:
        """What dwarfgpu is to say."""
        return self.gdb if self.dwarfgpu is None else self.dwarfgpu


def recorded(name: str) -> list[Exchange]:
    """A recorded session."""
    result: list[Exchange] = []
    is_dwarfgpu = False
    for line in (HERE / f"{name}.txt").read_text("utf-8").splitlines(keepends=True):
        if line.startswith("(gdb) "):
            result.append(Exchange(line[6:].rstrip("\n"), ""))
            is_dwarfgpu = False
        elif line.startswith("(dwarfgpu) "):
            result[-1] = evolve(result[-1], reason=line[11:].rstrip("\n"), dwarfgpu="")
            is_dwarfgpu = True
        elif is_dwarfgpu:
            result[-1] = evolve(result[-1], dwarfgpu=(result[-1].dwarfgpu or "") + line)
        else:
            result[-1] = evolve(result[-1], gdb=result[-1].gdb + line)
    return result


def has_printers() -> bool:
    """Whether libstdc++'s printers for GDB are installed."""
    return _LIBRARY is not None


def answers_of_gdb(name: str, commands: list[str]) -> list[str]:
    """What the GDB of this machine says."""
    settings = ["set sysroot core", "set debuginfod enabled off", "set width 0"]
    settings += (
        ["set language c++"] if name in ("classes", "types", "settings_types") else []
    )  # nothing tells it without main
    settings += [_PRINTERS] if name in NEEDS_PRINTERS else []
    given = [word for setting in settings for word in ("-iex", setting)]
    batch = [] if name in NOT_BATCH else ["-batch"]
    result = answers(["gdb", "-q", "-nx", *batch, *given, *FILES[name]], commands)
    return [_WARNINGS.sub("", item) for item in result]


def answers_of_dwarfgpu(name: str, commands: list[str]) -> list[str]:
    """What `dwarfgpu debug` says, without its notes and hints, which GDB has nothing
    like."""
    program, *core = FILES[name]
    given = [program, *(word for item in core for word in ("--core", item, "--sysroot", "core"))]
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", write_through=True)
    with (
        contextlib.chdir(FIXTURES),
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        patch.setenv("NO_COLOR", "1")
        patch.setattr("locale.getencoding", lambda: "UTF-8")  # GDB's answers are of such a locale
        patch.setattr("sys.stdin", io.StringIO())
        batch = [] if name in NOT_BATCH else ["--batch"]
        main(["debug", *given, *batch, *marked(commands)])
    text = out.buffer.getvalue().decode("utf-8", "replace")
    return [_REMARK.sub("", part) for part in parts(text, commands)]


def answers(program: list[str], commands: list[str]) -> list[str]:
    """Output and errors of each command of a program."""
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [*program, *marked(commands)], cwd=FIXTURES, env=environment, check=False, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        errors="replace",
    )  # fmt: skip
    return parts(done.stdout, commands)


def marked(commands: list[str]) -> list[str]:
    """The options that run commands, with marks printed between them."""
    words: list[str] = []
    for number, command in enumerate(commands):
        words += ["-ex", f"echo \\n@@{number}\\n", "-ex", command]
    return [*words, "-ex", f"echo \\n@@{len(commands)}\\n"]


def parts(text: str, commands: list[str]) -> list[str]:
    """What is between the marks."""
    split = _MARK.split(text.replace(str(FIXTURES), "$FIXTURES"))[1:-1]
    assert len(split) == len(commands), text[-2000:]
    return [part if not part or part.endswith("\n") else f"{part}\n" for part in split]


def record(name: str) -> None:
    """Record a session anew."""
    before = recorded(name)
    commands = [item.command for item in before]
    lines: list[str] = []
    of_gdb, of_dwarfgpu = answers_of_gdb(name, commands), answers_of_dwarfgpu(name, commands)
    for exchange, gdb, dwarfgpu in zip(before, of_gdb, of_dwarfgpu, strict=True):
        lines += [f"(gdb) {exchange.command}\n", gdb]
        if gdb != dwarfgpu:
            lines += [f"(dwarfgpu) {exchange.reason or '?'}\n", dwarfgpu]
    (HERE / f"{name}.txt").write_text("".join(lines), "utf-8")
