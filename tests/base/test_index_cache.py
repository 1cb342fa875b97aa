"""The index cache: an entry is used only as it was written, for what it was written for."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from dwarfgpu.base import index_cache
from dwarfgpu.base.index_cache import NO_CACHE, IndexCache, default_folder
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.index_identity import index_identity
from tests.cli.command import FIXTURES

CONTENT = bytes(range(64))


@pytest.fixture(autouse=True)
def without_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NO_CACHE, raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> IndexCache:
    return IndexCache(tmp_path / "caches" / "dwarfgpu" / "index")


def loaded(cache: IndexCache, identity: bytes = b"file") -> bytes | None:
    content = cache.load("entry", identity)
    return None if content is None else bytes(content)


def stored(cache: IndexCache) -> Path:
    cache.store("entry", b"file", CONTENT[:10], CONTENT[10:])
    assert cache.folder is not None
    (entry,) = cache.folder.iterdir()
    return entry


def test_what_was_stored(cache: IndexCache) -> None:
    assert loaded(cache) is None
    stored(cache)
    assert loaded(cache) == CONTENT
    assert (cache.hits, cache.misses) == (1, 1)
    cache.store("entry", b"file")
    assert loaded(cache) == b""


def test_another_file_of_the_same_name(cache: IndexCache) -> None:
    stored(cache)
    assert loaded(cache, b"another") is None


def test_every_bit(cache: IndexCache) -> None:
    entry = stored(cache)
    data = entry.read_bytes()
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        entry.write_bytes(changed)
        assert loaded(cache) is None
    entry.write_bytes(data)
    assert loaded(cache) == CONTENT


def test_an_entry_that_is_cut_short_or_longer(cache: IndexCache) -> None:
    entry = stored(cache)
    data = entry.read_bytes()
    for size in range(len(data)):
        entry.write_bytes(data[:size])
        assert loaded(cache) is None
    entry.write_bytes(data + b"\0")
    assert loaded(cache) is None


def test_an_entry_that_is_cut_short_while_it_is_in_use(cache: IndexCache) -> None:
    """A mapped file would end the process (SIGBUS)."""
    cache.store("entry", b"file", bytes(1 << 20))
    content = cache.load("entry", b"file")
    assert content is not None and cache.folder is not None
    os.truncate(cache.folder / "entry.index", 0)
    assert bytes(content) == bytes(1 << 20)


def test_a_writer_that_was_killed(cache: IndexCache) -> None:
    entry = stored(cache)
    half = entry.with_name(".dwarfgpu-0123.tmp")
    half.write_bytes(entry.read_bytes()[:20])
    assert loaded(cache) == CONTENT
    stored_again = entry.stat().st_mtime
    os.utime(half, (stored_again - 7200, stored_again - 7200))
    cache.store("entry", b"file", CONTENT)
    assert not half.exists()
    half.write_bytes(b"")  # one that is at work
    cache.store("entry", b"file", CONTENT)
    assert half.exists()


def test_writers_and_a_reader_at_once(cache: IndexCache) -> None:
    contents = {bytes([number]) * 5_000 for number in range(4)}
    stored(cache)

    def write(content: bytes) -> None:
        for _ in range(3):
            cache.store("entry", b"file", content)

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert loaded(cache) in {CONTENT, *contents}
    assert loaded(cache) in contents
    assert cache.folder is not None and len(list(cache.folder.iterdir())) == 1


def test_a_folder_in_which_others_write(cache: IndexCache) -> None:
    entry = stored(cache)
    for folder in (entry.parent, entry.parent.parent):
        folder.chmod(0o777)
        assert loaded(cache) is None
        entry_before = entry.stat().st_mtime_ns
        cache.store("entry", b"file", b"new")
        assert entry.stat().st_mtime_ns == entry_before
        folder.chmod(0o700)
    assert loaded(cache) == CONTENT


def test_a_folder_of_another_user(cache: IndexCache, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = stored(cache)
    entry_before = entry.stat().st_mtime_ns
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert loaded(cache) is None
        cache.store("entry", b"file", b"new")
    assert entry.stat().st_mtime_ns == entry_before


def test_a_folder_that_is_a_link(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    (tmp_path / "dwarfgpu").mkdir(mode=0o700)
    (tmp_path / "dwarfgpu" / "index").symlink_to(target)
    cache = IndexCache(tmp_path / "dwarfgpu" / "index")
    cache.store("entry", b"file", CONTENT)
    assert loaded(cache) is None and not list(target.iterdir())


def test_an_entry_that_is_a_link(cache: IndexCache, tmp_path: Path) -> None:
    entry = stored(cache)
    mine = tmp_path / "mine"
    mine.write_bytes(entry.read_bytes())
    entry.unlink()
    entry.symlink_to(mine)
    assert loaded(cache) is None
    cache.store("entry", b"file", b"new")
    assert mine.read_bytes() != entry.read_bytes() and not entry.is_symlink()
    assert loaded(cache) == b"new"


def test_an_entry_that_is_a_pipe_or_a_folder(cache: IndexCache) -> None:
    entry = stored(cache)
    entry.unlink()
    os.mkfifo(entry)
    assert loaded(cache) is None
    entry.unlink()
    entry.mkdir()
    assert loaded(cache) is None
    cache.store("entry", b"file", CONTENT)  # a folder stays


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = IndexCache(tmp_path / "file" / "dwarfgpu" / "index")
    cache.store("entry", b"file", CONTENT)
    assert loaded(cache) is None


def test_a_full_disk(cache: IndexCache, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(cache)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        cache.store("entry", b"file", b"new")
    assert loaded(cache) == CONTENT
    assert cache.folder is not None and len(list(cache.folder.iterdir())) == 1


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert default_folder() is None
    cache = IndexCache(default_folder())
    cache.store("entry", b"file", CONTENT)
    assert loaded(cache) is None


def test_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "dwarfgpu" / "index"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == Path.home() / ".cache" / "dwarfgpu" / "index"
    monkeypatch.setenv(NO_CACHE, "1")
    assert default_folder() is None


def test_those_used_longest_ago_are_removed(
    cache: IndexCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "MAX_BYTES", 4_000)
    assert cache.folder is not None
    for number in range(3):
        cache.store(f"entry{number}", b"file", bytes(1_200))
        os.utime(cache.folder / f"entry{number}.index", (number, number))
    assert cache.load("entry0", b"file") is not None  # now it was used last
    cache.store("entry3", b"file", bytes(1_200))
    remaining = {entry.name for entry in cache.folder.iterdir()}
    assert remaining == {"entry0.index", "entry2.index", "entry3.index"}


def test_an_entry_that_is_too_large(cache: IndexCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_cache, "_MAX_ENTRY_BYTES", 100)
    cache.store("entry", b"file", bytes(100))
    assert cache.folder is not None and not cache.folder.exists()


def test_what_is_stored_later(cache: IndexCache) -> None:
    steps: list[int] = []
    cache.later["a"] = lambda progress: progress("file", 1, 2)
    cache.finish(lambda path, done, total: steps.append(done))
    assert steps == [1] and not cache.later


def test_a_file_with_a_copied_time_is_another_one(tmp_path: Path) -> None:
    """An archive brings any build ID, size and time of the last write: those of a library of the
    system, for example, whose names would then be sought where the other file has them."""
    path = tmp_path / "program"
    path.write_bytes((FIXTURES / "core/shapes.x86_64.O0").read_bytes())
    written_ns, before = os.stat(path).st_mtime_ns, index_identity(open_object(str(path)))
    changed_ns = os.stat(path).st_ctime_ns
    while os.stat(path).st_ctime_ns == changed_ns:  # the clock of the file system has ticks
        path.write_bytes(path.read_bytes())
        os.utime(path, ns=(written_ns, written_ns))
    after = index_identity(open_object(str(path)))
    assert before is not None and after is not None
    assert before.name == after.name and before.content != after.content
