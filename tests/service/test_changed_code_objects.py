"""Code objects of a state that have changed since it was saved, or since they were examined."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from dwarfgpu.base import file_digests
from dwarfgpu.base.readable_files import digest_of
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.service.machine.code_object_files import CodeObjectFiles, code_object_files
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES

FILE = FIXTURES / "run/integers.gfx942.O2.v5.co"
COMMANDS = ["bt"], ["waves"]


def _state(folder: Path, *files: Path, digest: str) -> Path:
    listed = [
        {"path": str(file), "load_address": number << 20, "sha256": digest}
        for number, file in enumerate(files)
    ]
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x7000, "registers": {"exec": 255}}],
        "code_objects": listed,
    }
    (path := folder / "s.json").write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_loaded_often_is_read_once(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def reading(path: str | Path) -> str | None:
        read.append(Path(path))
        return digest_of(path)

    monkeypatch.setattr(file_digests, "digest_of", reading)
    done = run(*command, "--state", _state(tmp_path, *[FILE] * 20, digest="00" * 32))
    assert len(read) == 1
    assert done.err.count("has changed since the state was saved") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_not_compared_are_a_note(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digests, "MOST_BYTES", 8)
    digest = digest_of(FILE)
    assert digest is not None
    done = run(*command, "--state", _state(tmp_path, FILE, digest=digest))
    assert "note: 1 code object may have changed since the state was saved" in done.err


OTHER = FIXTURES / "run/integers.gfx942.O0.v5.co"
LARGE = 1 << 21
"""Bytes of a file that is read on demand."""


def _replaced(file: Path, data: bytes) -> None:
    """Give a path another file, as a linker does."""
    (new := file.with_name("new")).write_bytes(data)
    new.replace(file)


def _rewritten(file: Path, data: bytes) -> None:
    """Give a file other contents, as `cp` does."""
    status = file.stat()
    file.write_bytes(data)
    os.utime(file, ns=(status.st_mtime_ns, status.st_mtime_ns + 1))  # the clock has ticks


def _files(folder: Path, size_bytes: int) -> tuple[Path, bytes, bytes]:
    """Return a code object, what it contains, and what it will contain."""
    before, after = (path.read_bytes().ljust(size_bytes, b"\0") for path in (FILE, OTHER))
    (file := folder / "k.co").write_bytes(before)
    return file, before, after


@pytest.mark.parametrize(
    ("change", "size_bytes"), [(_replaced, 0), (_rewritten, 0), (_replaced, LARGE)]
)
def test_a_document_names_what_was_examined(
    change: Callable[[Path, bytes], None], size_bytes: int, tmp_path: Path
) -> None:
    path, before, after = _files(tmp_path, size_bytes)
    file, document = open_object(path), tmp_path / "s.json"
    digest = sha256(before).hexdigest()
    files = code_object_files([(file, 1 << 20)], document)
    assert files == CodeObjectFiles((LoadedFile(path, 1 << 20, digest),), {})
    change(path, after)
    files = code_object_files([(file, 1 << 20)], document)
    beside = tmp_path / f"s.{digest[:16]}.co"
    assert files == CodeObjectFiles((LoadedFile(beside, 1 << 20, digest),), {beside.name: before})


def test_what_is_gone_is_not_saved(tmp_path: Path) -> None:
    path, _, after = _files(tmp_path, LARGE)
    file, document = open_object(path), tmp_path / "s.json"
    _rewritten(path, after)
    expected = f"{document} cannot be written: {path} was changed while it was open: open it again"
    with pytest.raises(UsageError, match=f"^{re.escape(expected)}$"):
        code_object_files([(file, 0)], document)


@pytest.mark.parametrize("size_bytes", [0, LARGE])
def test_a_file_with_the_same_contents_is_the_same(size_bytes: int, tmp_path: Path) -> None:
    path, before, _ = _files(tmp_path, size_bytes)
    file = open_object(path)
    path.chmod(0o600)
    assert code_object_files([(file, 0)], tmp_path / "s.json").own == {}
    _replaced(path, before)
    [loaded] = code_object_files([(file, 0)], tmp_path / "s.json").loaded
    assert loaded == LoadedFile(path, 0, sha256(before).hexdigest())


def test_a_state_of_other_code_keeps_its_hash(tmp_path: Path) -> None:
    path, before, after = _files(tmp_path, 0)
    file, document, unknown = open_object(path), tmp_path / "s.json", "00" * 32

    def kept(digest: str) -> LoadedFile:
        [loaded] = code_object_files([(file, 0)], document, recorded={file: digest}).loaded
        return loaded

    assert kept(unknown) == LoadedFile(path, 0, unknown)
    _replaced(path, after)
    assert kept(unknown) == LoadedFile(path, 0, unknown)
    first, second = (sha256(data).hexdigest() for data in (before, after))
    assert kept(first) == LoadedFile(tmp_path / f"s.{first[:16]}.co", 0, first)
    assert kept(second) == LoadedFile(path, 0, second)


NEST_ARGUMENTS = "in=zeros:256", "out=zeros:256", "limit=10"
NOTE = "note: k.co has changed since the state was saved"


def test_saving_a_session_whose_code_object_was_compiled_again(tmp_path: Path) -> None:
    path, before, after = _files(tmp_path, 0)
    state, second, core = (tmp_path / name for name in ("s.json", "t.json", "t.core"))
    _state(tmp_path, path, digest=sha256(before).hexdigest())
    (tmp_path / "new.co").write_bytes(after)
    move = f"shell mv {tmp_path}/new.co {path}"
    commands = move, f"save {second}", f"generate-core-file {core}"
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--state", state, "--batch", *words)
    assert done.status == 0, done.err
    name = f"t.{sha256(before).hexdigest()[:16]}.co"
    assert f"Code of it is in {name}." in done.out
    [listed] = json.loads(second.read_text())["code_objects"]
    assert (listed["path"], listed["sha256"]) == (name, sha256(before).hexdigest())
    assert (tmp_path / name).read_bytes() == before
    assert f"note: the code object of {core} is {name} beside it" in done.err
    assert NOTE in run("bt", "--state", state).err
    assert "has changed" not in run("bt", "--state", second).err


@pytest.mark.parametrize("command", ["debug", "run"])
def test_saving_a_state_whose_code_object_has_changed(command: str, tmp_path: Path) -> None:
    """What was known of it is known of the new state, too."""
    path, state, second = (tmp_path / name for name in ("k.co", "s.json", "t.json"))
    path.write_bytes((FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes())
    digest = sha256(path.read_bytes()).hexdigest()
    sizes = ["--grid", 64, "--workgroup", 64]
    given = [word for text in NEST_ARGUMENTS for word in ("--arg", text)]
    assert run("dispatch", path, "nest", *sizes, *given, "--save", state).status == 0
    _replaced(path, path.read_bytes() + b"\0")  # the same code
    words = {
        "debug": ["--batch", "-ex", f"save {second}"],
        "run": ["--break", 14, "--stops", 1, "--save", second],
    }
    done = run(command, "--state", state, *words[command])
    assert NOTE in done.err
    [listed] = json.loads(second.read_text())["code_objects"]
    assert (listed["path"], listed["sha256"]) == ("k.co", digest)
    assert NOTE in run("bt", "--state", second).err
