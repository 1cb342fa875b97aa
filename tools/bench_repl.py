"""`tools/bench.py repl`: from the start to the prompt, completion, and a member in every lane."""

from __future__ import annotations

import io
import os
import pty
import select
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.typed_names import UnitNames
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session

ROOT = Path(__file__).resolve().parent.parent
NAMES = 100_000
MEMBER = "lanes s.corner[1].x"


def shell_of(name: str) -> Shell:
    """The prompt on the first wave of a state of fixtures/states."""
    state = load_state(ROOT / "fixtures/states" / name)
    objects = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    _fill(state.target, state.waves[0].wave)
    wave = state.waves[0]
    architecture = state.target.architecture_of(wave.wave)
    session = Session(architecture, objects, state.target, wave=wave.wave, pc=wave.pc)
    return Shell(focused(session), COMMANDS, Streams(io.StringIO(), io.StringIO()))


def _fill(target: StateTarget, wave: int) -> None:
    """Give the scratch of a wave bytes where the state has none."""
    space = target.architecture_of(wave).address_space_named("private_wave")
    assert space is not None
    for address in range(0, 1 << 14, 4):
        with suppress(UsageError):
            target.set_memory(Memory(space, wave), address, address.to_bytes(4, "little"))


def until(expected: bytes, *arguments: str) -> tuple[float, float, float]:
    """Seconds until the program has written something on its terminal, those of its processor until
    then, and those until it has ended."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        child, terminal = pty.fork()
        if not child:
            environment = {
                **os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": folder,
                "PYTHONPATH": str(ROOT), "PROMPT_TOOLKIT_NO_CPR": "1",
            }  # fmt: skip
            command = [sys.executable, "-m", "dwarfgpu", *arguments]
            os.execve(sys.executable, command, environment)
        seen = b""
        while expected not in seen and select.select([terminal], [], [], 60)[0]:
            seen += os.read(terminal, 4096)
        taken, used_until = time.perf_counter() - start, processor_seconds(child)
        os.write(terminal, b"\x04")
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:
            pass
        used = os.wait4(child, 0)[2]
        os.close(terminal)
    return taken, used_until, used.ru_utime + used.ru_stime


def processor_seconds(process: int) -> float:
    """Of a process so far (Linux)."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def best(action: Callable[[], object], rounds: int = 7) -> tuple[float, float]:
    """Seconds of the first call, and of the best of several."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return times[0], min(times[1:])


def bench_repl() -> None:
    """The table of docs/benchmarks.md."""
    rows = []
    for name, expected, *words in (
        ("start to prompt, `debug --demo`", b"(dwarfgpu", "debug", "--demo"),
        ("`dwarfgpu --version`", b"dwarfgpu 0", "--version"),
    ):
        starts = [until(expected, *words) for _ in range(9)]
        walls, until_then, used = zip(*starts, strict=True)
        rows.append((name, walls[0], min(walls)))
        rows.append((f"{name}, time of the processor", until_then[0], min(until_then)))
        rows.append((f"{name}, until its end", used[0], min(used)))
    shell = shell_of("data.gfx942.O0.json")
    names = tuple((f"ns::function_{number:06}", "function") for number in range(NAMES))
    shell.symbols.take([UnitNames("some.cpp", names)])
    texts = (
        "p ns::function_0421", "p ", "p s.", "p $v", "inf", "break function_0421", "break ",
        "ptype struct ", "list some.cpp:ns::f", "lane apply all p ns::function_0421",
    )  # fmt: skip
    for text in texts:
        rows.append(
            (
                f"completion of `{text}`, {NAMES:,} names",
                *best(lambda text=text: completions(shell, text)),
            )
        )  # type: ignore[misc]
    rows.append((f"`{MEMBER}`, 64 lanes", *best(lambda: shell.execute(MEMBER))))
    rows.append(("`info locals`", *best(lambda: shell.execute("info locals"))))
    print("| what | first, ms | best, ms |\n|---|---|---|")
    for name, first, least in rows:
        print(f"| {name} | {first * 1e3:.1f} | {least * 1e3:.1f} |")
