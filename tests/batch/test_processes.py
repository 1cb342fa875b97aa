"""Results of several processes: in order, and a process that ends costs its item alone."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from dwarfgpu.batch.in_order import in_order
from dwarfgpu.batch.processes import _serve
from dwarfgpu.errors import DwarfGpuError, UsageError
from tests.batch.in_processes import alive_before, answer


def lost(item: str, error: DwarfGpuError) -> str:
    return f"lost {item}: {error.kind}: {error.message.removeprefix(item)}"


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_results_are_in_the_order_of_the_items(jobs: int) -> None:
    items = ["slow", *(f"f{number}" for number in range(20))]
    assert [*in_order(answer, items, lost, jobs)] == [item.upper() for item in items]


def test_no_items_start_no_process() -> None:
    assert [*in_order(answer, [], lost, 2)] == []


def test_a_process_that_ends_costs_its_item_alone() -> None:
    items = ["a", "killed", "b", "crash", "left", "c", "large", "deep", "d"]
    assert [*in_order(answer, items, lost, 2)] == [
        "A",
        "lost killed: LimitExceeded: : its process was killed, probably for lack of memory",
        "B",
        "lost crash: UsageError: : its process was ended by SIGSEGV",
        "lost left: UsageError: : its process ended with status 3",
        "C",
        "lost large: LimitExceeded:  needs more memory than is available",
        "lost deep: LimitExceeded:  is nested deeper than this command follows",
        "D",
    ]


def test_too_little_memory_costs_one_item_without_processes() -> None:
    assert [*in_order(answer, ["large", "deep", "a"], lost)] == [
        "lost large: LimitExceeded:  needs more memory than is available",
        "lost deep: LimitExceeded:  is nested deeper than this command follows",
        "A",
    ]


@pytest.mark.parametrize("jobs", [0, 1])
def test_a_file_is_gone_before_the_next_one_comes(jobs: int) -> None:
    assert [*in_order(alive_before, ["a", "b", "c"], lambda item, error: -1, jobs)] == [0, 0, 0]
    gc.collect()


def test_few_objects_are_collected_without_a_look_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of damaged entries leave next to nothing."""
    collected: list[int] = []
    collect = gc.collect

    def counted(generation: int = 2) -> int:
        collected.append(generation)
        return collect(generation)

    monkeypatch.setattr(gc, "collect", counted)
    items = [f"f{number}" for number in range(330)]
    assert [*in_order(alive_before, items, lambda item, error: -1)] == [0] * len(items)
    assert len(collected) == len(items) - 1
    assert collected.count(2) < 20


def test_items_are_taken_as_they_are_needed() -> None:
    taken = []

    def items() -> Iterator[str]:
        for number in range(1000):
            taken.append(number)
            yield f"f{number}"

    results = in_order(answer, items(), lost, 1)
    assert next(results) == "F0"
    results.close()  # type: ignore[attr-defined]
    assert len(taken) < 100


def test_too_few_open_files_for_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the command said that its output could not be written."""
    failing = Mock(side_effect=OSError(errno.EMFILE, "Too many open files"))
    monkeypatch.setattr("multiprocessing.Pipe", failing)
    with pytest.raises(UsageError, match="a process cannot be started: Too many open files; one"):
        list(in_order(answer, ["a", "b", "c"], lost, 2))


def test_an_early_end_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:

    results = in_order(answer, ["a", "slow", "slow"], lost, 2)
    assert next(results) == "A"
    assert multiprocessing.active_children()
    results.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_interrupt_ends_at_once_and_quietly(tmp_path: Path, repository: Path) -> None:
    """Ctrl-C reaches every process of the terminal's group; none of them prints a traceback."""
    script = tmp_path / "many.py"
    script.write_text(
        "import signal, sys, time\n"
        "from dwarfgpu.batch.in_order import in_order\n"
        "def wait(item):\n    time.sleep(item)\n    return item\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)  # if the parent ignores it\n"
        "    try:\n"
        "        for item in in_order(wait, [0, 1000, 1000, 1000], lambda item, error: None, 2):\n"
        "            print(item, flush=True)\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(130)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script)], cwd=repository, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=200)
    assert (process.returncode, out, err) == (130, "", "")


def test_processes_end_with_the_one_that_started_them(tmp_path: Path, repository: Path) -> None:
    """They have its standard output, so that it is closed when the last of them has ended."""
    script = tmp_path / "many.py"
    script.write_text(
        "import time\n"
        "from dwarfgpu.batch.in_order import in_order\n"
        "def wait(item):\n    time.sleep(item)\n    return item\n"
        "if __name__ == '__main__':\n"
        "    for item in in_order(wait, [0, 1000, 1000], lambda item, error: None, 2):\n"
        "        print(item, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script)], cwd=repository, text=True,
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    process.terminate()
    out, _ = process.communicate(timeout=200)
    assert (process.returncode, out) == (-signal.SIGTERM, "")


def said(script: Path, folder: Path, repository: Path, safe_path: str | None) -> str:
    """What a script prints in a folder, on both streams; `safe_path`: PYTHONSAFEPATH."""
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    environment.pop("PYTHONSAFEPATH", None)
    if safe_path is not None:
        environment["PYTHONSAFEPATH"] = safe_path
    return subprocess.run(
        [sys.executable, str(script)], cwd=folder, text=True, env=environment, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


@pytest.mark.parametrize("safe_path", [None, "1"])
def test_processes_import_nothing_from_the_working_folder(
    tmp_path: Path, repository: Path, safe_path: str | None
) -> None:
    """A stranger's folder may hold files with the names of modules. The function's own programs
    have the environment of this process."""
    script = tmp_path / "program" / "many.py"
    script.parent.mkdir()
    script.write_text(
        "import os\n"
        "from dwarfgpu.batch.in_order import in_order\n"
        "def variable(item):\n    return os.environ.get('PYTHONSAFEPATH')\n"
        "if __name__ == '__main__':\n"
        "    print([*in_order(variable, [1], lambda item, error: str(error), 2)],\n"
        "          repr(os.environ.get('PYTHONSAFEPATH')))\n"
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("re", "types", "signal", "enum", "pickle", "socket", "struct"):
        (folder / f"{name}.py").write_text(f"open('{name}.ran', 'w')\nraise ImportError\n")
    assert said(script, folder, repository, safe_path) == f"[{safe_path!r}] {safe_path!r}\n"
    assert not [*folder.glob("*.ran")]


def test_threads_leave_the_environment_as_it_was(tmp_path: Path, repository: Path) -> None:
    script = tmp_path / "threads.py"
    script.write_text(
        "import os, threading\n"
        "from dwarfgpu.batch.in_order import in_order\n"
        "def same(item):\n    return item\n"
        "def ask():\n    assert [*in_order(same, [1, 2], None, 2)] == [1, 2]\n"
        "if __name__ == '__main__':\n"
        "    for _ in range(2):\n"
        "        threads = [threading.Thread(target=ask) for _ in range(3)]\n"
        "        [thread.start() for thread in threads]\n"
        "        [thread.join() for thread in threads]\n"
        "        print(os.environ.get('PYTHONSAFEPATH'))\n"
    )
    assert said(script, tmp_path, repository, None) == 2 * "None\n"


def test_an_end_with_results_unread_is_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """A process ends without a word when the other end closes before it reads the result."""
    context = multiprocessing.get_context("spawn")
    own, child_end = context.Pipe()
    process = context.Process(target=_serve, args=(child_end, answer, None), daemon=True)
    process.start()
    child_end.close()
    own.send("read")
    assert own.recv() == (True, "READ")
    own.send("unread")
    assert own.poll(200)
    own.close()
    process.join(200)
    assert process.exitcode == 0
    assert capfd.readouterr().err == ""


def test_the_collector_does_not_look_through_modules() -> None:
    """It looks for the objects of each file, behind which are ten times as many of the modules."""
    (objects,) = in_order(answer, ["objects"], lost, 2)
    assert int(objects) < 5_000


@pytest.mark.parametrize("jobs", [-1, 257, 1.5, 2.0, True, None, "x"])
def test_a_wrong_number_of_processes(jobs: object) -> None:
    with pytest.raises(UsageError, match="^jobs: expected a number of processes from 0 to 256"):
        in_order(answer, ["a"], lost, jobs)  # type: ignore[arg-type]
