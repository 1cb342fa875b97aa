"""What every test may use: the repository's path, outside tools, and seeded random testing."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

REPOSITORY = Path(__file__).resolve().parent.parent

_NUMBERS = count()
"""Of the folders of tests."""

CACHE = REPOSITORY / ".pytest_cache/bytecode"
if sys.dont_write_bytecode and os.access(REPOSITORY, os.W_OK):
    # Beside what pytest keeps: else each worker rewrites the assertions of all tests and of
    # Hypothesis anew, which is half of finding the tests.
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(CACHE)

from hypothesis import settings  # noqa: E402 -- compiled here, too
from hypothesis.configuration import set_hypothesis_home_dir  # noqa: E402

# In CI the examples are the same every time; at a desk they are new ones, and a failure prints
# what reproduces it. No deadline: a busy machine is not a bug.
settings.register_profile(
    "dwarfgpu", deadline=None, print_blob=True, derandomize=os.environ.get("CI") == "true"
)
settings.load_profile("dwarfgpu")
set_hypothesis_home_dir(str(REPOSITORY / ".pytest_cache/hypothesis"))

# Little that a test makes is in cycles, but what files were read is walked by each garbage
# collection, in all a tenth of the suite's processor time; while tests are found, so are these.
gc.set_threshold(1_000_000, 20, 100)


def pytest_collection_finish() -> None:
    """Leave the twenty thousand tests out of every garbage collection."""
    gc.freeze()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker reports neither that a test begins and ends nor that a set-up or a tear-down has
    passed: these four messages are a third of what pytest and its workers do for a test."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """What a file of tests leaves is walked once: commands about many files collect garbage between
    them, which took a second each with all that earlier tests have read."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The environment variables of the tests and of the programs that they start: in one fixture,
    as each costs a tenth of what pytest itself takes for a test.

    Programs compile each module once, also where the checkout is read-only or
    PYTHONDONTWRITEBYTECODE is set: compiling is three quarters of the start of a command.

    Tests neither find what earlier ones kept, nor write into the folder of the user.

    GDB neither asks for nor fetches debug information, whose URLs some systems set in every shell,
    and a terminal that a test makes is as wide and as high as the test says.
    """
    is_writable = os.access(REPOSITORY, os.W_OK)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        kept = CACHE if is_writable else tmp_path_factory.mktemp("bytecode")
        patch.setenv("PYTHONPYCACHEPREFIX", str(kept))
        patch.setenv("DWARFGPU_NO_CACHE", "1")
        for name in ("DEBUGINFOD_URLS", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a test. pytest's own looks through the folders of all earlier tests for a number
    that is free."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}_{next(_NUMBERS)}"
    path.mkdir(0o700)
    return path


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def go_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where Go keeps what it has compiled: its library is most of the work of a small program."""
    return str(tmp_path_factory.mktemp("go_cache"))


@pytest.fixture(scope="session")
def tool() -> Callable[[str], str]:
    """Gives the path of an outside program, or skips the test and says which one is missing."""

    def find(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"{name} is not installed")
        return path

    return find


@pytest.fixture
def utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt shows characters beyond ASCII, whatever the locale."""
    monkeypatch.setattr("dwarfgpu.repl.settings.host_is_utf8", lambda: True)
