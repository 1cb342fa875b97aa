"""What is written for users: whole, or not at all, whatever goes wrong."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from dwarfgpu.base import writing
from dwarfgpu.base.writing import append_parts, content_name, write_file, write_set
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.load import load_state
from tests.cli.command import FIXTURES, run

DISPATCH = FIXTURES / "states/dispatch.gfx1100.json"
KERNELS = FIXTURES / "opencl/kernels.gfx1100.O2.v5.co"
CALLS = ("open", "fsync", "chmod", "replace", "unlink", "close")
"""Of `os`, at which a writer is killed; `open` is Python's too."""
KILLED = 9


class Killed:
    """Ends the process before, or in the middle of, one of the calls that reach the disk."""

    def __init__(self, number: int) -> None:
        self.left = number

    def count(self) -> bool:
        self.left -= 1
        return self.left < 0

    def wrap(self, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **named: object) -> object:
            if self.count():
                os._exit(KILLED)
            return call(*arguments, **named)

        return counted

    def opened(self, path: object, mode: str) -> object:
        """A file whose writing is cut in the middle."""
        if self.count():
            os._exit(KILLED)
        file = open(str(path), mode)  # noqa: SIM115
        whole = file.write

        def write(data: bytes) -> int:
            if self.count():
                whole(data[: len(data) // 2])
                file.flush()
                os._exit(KILLED)
            return whole(data)

        return type("Cut", (), {
            "__enter__": lambda s: s, "__exit__": lambda s, *_: file.close(),
            "write": lambda s, data: write(data), "flush": lambda s: file.flush(),
            "fileno": lambda s: file.fileno(),
        })()  # fmt: skip


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Do the work in a process that ends before the call of a number; whether it ended so."""
    child = os.fork()
    if not child:
        killer = Killed(number)
        for name in CALLS:
            setattr(os, name, killer.wrap(getattr(os, name)))
        vars(writing)["open"] = killer.opened
        in_child(work)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED)
    return status == KILLED


def in_child(work: Callable[[], object]) -> NoReturn:
    """Ends this process: 0 where the work is done."""
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def visible(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


def made(number: int) -> tuple[bytes, dict[str, bytes]]:
    """A document that names two arrays: one of its own, and one that all have."""
    own, common = bytes([number]) * 300, b"common" * 50
    files = {content_name("s.own", own, "npy"): own, content_name("s.all", common, "npy"): common}
    return json.dumps({"number": number, "files": list(files)}).encode(), files


def save(folder: Path, number: int) -> None:
    write_set(folder / "s.json", *made(number))


def is_whole(folder: Path) -> int:
    """The number of the document whose arrays are all there with their contents."""
    document = json.loads((folder / "s.json").read_bytes())
    for name in document["files"]:
        data = (folder / name).read_bytes()
        assert name == content_name(name.split(".", 2)[0] + "." + name.split(".")[1], data, "npy")
    return int(document["number"])


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@needs_fork
def test_a_kill_at_every_call_leaves_one_set_whole(tmp_path: Path) -> None:
    seen = []
    for number in range(200):
        folder = tmp_path / str(number)
        folder.mkdir()
        save(folder, 1)
        was_killed = killed_at(number, partial(save, folder, 2))
        seen.append(is_whole(folder))
        if not was_killed:
            break
        save(folder, 2)
        wanted = {"s.json", *made(2)[1]}  # what the killed writer had to remove may stay
        assert wanted <= visible(folder).keys() <= wanted | made(1)[1].keys()
    assert number > 15
    assert seen == sorted(seen) and {*seen} == {1, 2}


@needs_fork
def test_a_kill_at_every_call_leaves_one_file_whole(tmp_path: Path) -> None:
    path, seen, number = tmp_path / "picture.png", [], 0
    path.write_bytes(b"old")
    while killed_at(number, partial(write_file, path, b"new contents")):
        seen.append(path.read_bytes())
        number += 1
    assert number > 5
    assert {*seen} == {b"old", b"new contents"}


@needs_fork
def test_a_kill_while_a_state_is_saved(tmp_path: Path) -> None:
    """By the command of the prompt: what is left can be loaded, with its old or new contents."""
    values, number, was_killed = [], 0, True
    while was_killed:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "s.json"
        run("debug", "--demo", "--batch", "-ex", f"save {path}")
        again = ("debug", "--state", path, "--batch", "-ex", "set var $v6[4] = 7", "-ex")
        was_killed = killed_at(number, partial(run, *again, f"save {path}"))
        load_state(path)
        values.append(run("eval", "--state", path, "regx v6; LLVM_offset_uconst 16; deref_size 4"))
        number += 4
    assert number > 12
    assert [value.out for value in values] == sorted(
        (value.out for value in values), key="7\n".find
    )


def save_often(folder: Path, number: int) -> None:
    for _ in range(40):
        save(folder, number)
        save(folder, number + 2)


@needs_fork
def test_two_writers(tmp_path: Path) -> None:
    """Each saves again and again: whoever is last, its set is whole, and nothing is left over."""
    children = []
    for number in (1, 2):
        child = os.fork()
        if not child:
            in_child(partial(save_often, tmp_path, number))
        children.append(child)
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    number = is_whole(tmp_path)
    assert visible(tmp_path).keys() == {"s.json", *made(number)[1]}


def test_a_writer_waits_no_longer_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    save(tmp_path, 1)
    before = visible(tmp_path)
    slept: list[float] = []
    monkeypatch.setattr(writing.time, "sleep", slept.append)
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        with pytest.raises(UsageError, match="another program is writing there; try again"):
            save(tmp_path, 2)
    finally:
        os.close(folder)
    assert sum(slept) == pytest.approx(10)
    assert visible(tmp_path) == before


def test_without_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refused(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    save(tmp_path, 1)
    save(tmp_path, 2)
    assert visible(tmp_path).keys() == {"s.json", *made(1)[1], *made(2)[1]}


def test_files_of_others_stay(tmp_path: Path) -> None:
    """Of a copy of the document, and what a user has put there or changed."""
    save(tmp_path, 1)
    (own,) = set(made(1)[1]) - set(made(2)[1])
    (tmp_path / "copy.json").write_bytes((tmp_path / "s.json").read_bytes())
    (tmp_path / "s.mine.npy").write_bytes(b"mine")
    changed = content_name("s.mine", b"mine", "npy")
    (tmp_path / changed).write_bytes(b"changed")
    save(tmp_path, 2)
    assert {own, changed, "s.mine.npy"} <= visible(tmp_path).keys()
    save(tmp_path, 1)
    (tmp_path / "copy.json").unlink()
    save(tmp_path, 2)
    assert own not in visible(tmp_path) and "s.mine.npy" in visible(tmp_path)


def own_array(number: int) -> str:
    """The array that only this document names."""
    (own,) = made(number)[1].keys() - made(number + 1)[1].keys()
    return own


def escaped(text: str) -> bytes:
    """Return what a JSON string may have for a text."""
    return b"".join(b"\\u%04x" % byte for byte in text.encode())


def named_as(text: bytes) -> Callable[[bytes], bytes]:
    return lambda document: document.replace(b'"s.', text)


@pytest.mark.parametrize("name", ["s", "keep.txt", ".hidden", "other.JSON", "z"])
@pytest.mark.parametrize(
    "changed",
    [
        bytes,
        named_as(b'"./s.'),
        named_as(b'"/some/where/s.'),
        named_as(b'"\\u0073.'),
        lambda document: document.decode().encode("utf-16"),
        lambda document: b"\xef\xbb\xbf" + document,
        lambda document: document[: -len(b'y"]}')],
        lambda document: document.replace(own_array(1)[6:].encode(), escaped(own_array(1)[6:])),
        lambda document: document.replace(b".", escaped(".")),
    ],
)
def test_arrays_that_another_file_may_name_stay(
    tmp_path: Path, name: str, changed: Callable[[bytes], bytes]
) -> None:
    save(tmp_path, 1)
    (tmp_path / name).write_bytes(changed((tmp_path / "s.json").read_bytes()))
    save(tmp_path, 2)
    assert own_array(1) in visible(tmp_path)


def test_only_arrays_of_the_replaced_document_are_removed(tmp_path: Path) -> None:
    """Not those of a state that was moved to another folder."""
    save(tmp_path, 1)
    (tmp_path / "moved").mkdir()
    (tmp_path / "s.json").rename(tmp_path / "moved/s.json")
    save(tmp_path, 2)
    save(tmp_path, 3)
    names = set(os.listdir(tmp_path))
    assert own_array(1) in names and own_array(3) in names and own_array(2) not in names


def test_a_read_only_array_stays(tmp_path: Path) -> None:
    save(tmp_path, 1)
    [own] = tmp_path.glob("s.own.*.npy")
    own.chmod(0o444)
    save(tmp_path, 2)
    assert own.name not in (tmp_path / "s.json").read_text()
    assert own.exists()


def test_arrays_are_beside_the_file_behind_a_link(tmp_path: Path) -> None:
    real, links = tmp_path / "real", tmp_path / "links"
    for folder in (real, links):
        folder.mkdir()
    (links / "s.json").symlink_to("../real/s.json")
    for number in (1, 2):
        save(links, number)
        assert is_whole(real) == number
        assert visible(real).keys() == {"s.json", *made(number)[1]}
        assert os.listdir(links) == ["s.json"]


def test_a_state_that_is_saved_through_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real/s.json", tmp_path / "links/a/s.json"
    for path in (real, link):
        path.parent.mkdir(parents=True)
    link.symlink_to("../../real/s.json")
    geometry = ("--grid", 100, "--workgroup", 48)
    given = ("--arg", "in=range:256", "--arg", "out=zeros:1024", "--arg", "limit=3")
    done = run("dispatch", KERNELS, "diverge", *geometry, *given, "--save", link)
    assert done.status == 0 and os.listdir(link.parent) == ["s.json"]
    states = [load_state(path) for path in (real, link)]
    for state in states:
        assert state.waves and all(item.path.is_file() for item in state.code_objects)


@pytest.mark.parametrize("kind", ["fifo", "zero", "kernel", "folder", "dangling", "loop", "array"])
def test_a_file_that_is_not_a_document_is_not_read(tmp_path: Path, kind: str) -> None:
    save(tmp_path, 1)
    for name in ("a.json", "s.x.0123456789abcdef.npy"):
        path = tmp_path / name
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "array":
            path.write_bytes(b"\x93NUMPY")
            os.truncate(path, 900 << 20)
        else:
            targets = {"zero": "/dev/zero", "kernel": "/proc/self/environ", "loop": path}
            path.symlink_to(targets.get(kind, tmp_path / "nothing"))
    save(tmp_path, 2)
    assert {own_array(1), own_array(2)} & {*os.listdir(tmp_path)} == {own_array(2)}


def test_an_array_that_is_a_pipe_is_not_read(tmp_path: Path) -> None:
    save(tmp_path, 1)
    (tmp_path / own_array(1)).unlink()
    os.mkfifo(tmp_path / own_array(1))
    save(tmp_path, 2)
    assert stat.S_ISFIFO((tmp_path / own_array(1)).lstat().st_mode)


def test_a_pipe_in_place_of_an_array_stays(tmp_path: Path) -> None:
    save(tmp_path, 1)
    os.mkfifo(tmp_path / own_array(2))
    with pytest.raises(UsageError, match="no program reads the pipe"):
        save(tmp_path, 2)
    assert is_whole(tmp_path) == 1
    assert stat.S_ISFIFO((tmp_path / own_array(2)).lstat().st_mode)


def test_few_bytes_of_other_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where that is not enough, arrays stay."""
    read_bytes: list[int] = []
    read = writing._read

    def counted(path: Path, most_bytes: int) -> bytes | None:
        data = read(path, most_bytes)
        if path.name[0] == "n":
            read_bytes.append(len(data or b""))
        return data

    monkeypatch.setattr(writing, "_read", counted)
    for sizes, stays in (([900], True), ([60], True), ([9, 9], True), ([9], False)):
        save(tmp_path, 1)
        for number, size in enumerate(sizes):
            (tmp_path / f"n{number}").touch()
            os.truncate(tmp_path / f"n{number}", size << 20)
        read_bytes.clear()
        save(tmp_path, 2)
        assert (own_array(1) in os.listdir(tmp_path)) == stays
        assert sum(read_bytes) == (9 << 20 if 9 in sizes else 0)
        for path in tmp_path.glob("n*"):
            path.unlink()


def test_a_folder_of_many_files_keeps_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_MOST_OTHER_FILES", 10)
    save(tmp_path, 1)
    for number in range(10):
        (tmp_path / f"n{number}").touch()
    save(tmp_path, 2)
    assert own_array(1) in os.listdir(tmp_path)


@pytest.mark.parametrize("name", ['x"', 'x\\"', "x\\", "x\ny", '"'])
def test_a_name_that_json_escapes(tmp_path: Path, name: str) -> None:
    """The arrays of a document are found by the name that its JSON string has, not by its text."""
    for item in (".json", name, ".json", "other.json"):
        file = content_name(f"{item.removesuffix('.json')}.at-100", b"1", "npy")
        document = json.dumps({"npy": file}).encode()
        write_set(tmp_path / item, document, {file: b"1"})
        named = json.loads((tmp_path / name).read_text())["npy"] if item != ".json" else file
        assert (tmp_path / named).read_bytes() == b"1"


def test_a_quote_in_the_name_of_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    saves = [
        word for name in (".json", 'x"', 'y".json', ".json") for word in ("-ex", f"save {name}")
    ]
    assert not run("debug", "-q", "--batch", "--state", DISPATCH, *saves).err
    for name in (".json", 'x"', 'y".json'):
        assert load_state(Path(name)).waves


def test_a_broken_document_keeps_the_files_that_it_may_name(tmp_path: Path) -> None:
    old, new = (content_name("x.at-100", data, "npy") for data in (b"old", b"new"))
    write_set(tmp_path / "x.json", json.dumps([old]).encode(), {old: b"old"})
    (tmp_path / "broken.json").write_text(f'"{json.dumps([old])}')
    write_set(tmp_path / "x.json", json.dumps([new]).encode(), {new: b"new"})
    assert (tmp_path / old).exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("debug", "-q", "--batch", "--state", DISPATCH, "-ex", "save loop"),
        ("eval", "--state", "loop", "x"),
        ("eval", "--state", DISPATCH, "--file", "loop", "x"),
        ("waves", "--state", DISPATCH, "--file", "loop"),
        ("convert", "--state", DISPATCH, "--file", "loop", "a.c:1"),
        ("dispatch", KERNELS, "diverge", "--grid", "64", "--workgroup", "64", "--arg", "in=?",
         "--arg", "out=?", "--arg", "limit=?", "--save", "loop"),
    ],
)  # fmt: skip
def test_a_link_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    done = run(*arguments)
    assert "loop" in done.err and Path("loop").is_symlink()
    assert done.status != 0


def test_a_document_whose_array_was_removed_is_not_written(tmp_path: Path) -> None:
    """As by another writer, after this one had read the document that it changes."""
    save(tmp_path, 1)
    document, files = made(1)
    for name in files:
        (tmp_path / name).unlink()
    with pytest.raises(UsageError, match=r"s\.all\.\w+\.npy, which it needs, was removed"):
        write_set(tmp_path / "s.json", document + b" ", {})
    assert (tmp_path / "s.json").read_bytes() == document


LIMITED = """
import resource, sys
from pathlib import Path
from typing import NoReturn
from dwarfgpu.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("limit_bytes", [0, 1, 100, 1000, 5000, 9000])
def test_a_limit_of_the_size_of_files(repository: Path, tmp_path: Path, limit_bytes: int) -> None:
    path = tmp_path / "s.json"
    dispatch = ("dispatch", repository / "fixtures/opencl/kernels.gfx1100.O2.v5.co", "diverge",
                "--arg", "out=buffer:4096", "--arg", "in=zeros:256", "--arg", "limit=10",
                "--workgroup", "48", "--save", path)  # fmt: skip
    assert run(*dispatch, "--grid", 100).status == 0
    before = visible(tmp_path)
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, str(limit_bytes), *map(str, dispatch),
         "--grid", "4800"],
        capture_output=True, text=True, check=False, cwd=repository,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2, f"dwarfgpu: {path} cannot be written: File too large\n"
    )  # fmt: skip
    assert visible(tmp_path) == before
    assert not list(tmp_path.glob(".*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB; only root may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount")
    if done.returncode:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    save(small_disk, 1)
    before = visible(small_disk)
    document, files = made(2)
    large = bytes(range(256)) * 512
    more = {**files, content_name("s.big", large, "npy"): large}
    for text, contents in ((document, more), (document + b" " * len(large), files)):
        with pytest.raises(UsageError, match="json cannot be written: No space left on device"):
            write_set(small_disk / "s.json", text, contents)
        assert visible(small_disk) == before
        assert not list(small_disk.glob(".*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_what_cannot_be_appended_whole_is_not_appended(small_disk: Path) -> None:
    path = small_disk / "a"
    path.write_bytes(b"before")
    with pytest.raises(UsageError, match="a cannot be written: No space left on device"):
        append_parts(path, [bytes(1 << 24)])
    assert path.read_bytes() == b"before"
    append_parts(path, [b" and after"])
    assert path.read_bytes() == b"before and after"


def test_a_file_that_cannot_be_made_whole_is_not_made(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"first"
        raise UsageError("the second cannot be read")

    os.symlink("target", tmp_path / "link")
    for name in ("new", "link"):
        with pytest.raises(UsageError, match="the second cannot be read"):
            append_parts(tmp_path / name, parts())
        assert os.listdir(tmp_path) == ["link"]
    append_parts(tmp_path / "link", [b"a", b"b"])
    append_parts(tmp_path / "link", [b"c"])
    assert (tmp_path / "target").read_bytes() == b"abc" and (tmp_path / "link").is_symlink()


def test_a_device_that_is_full() -> None:
    with pytest.raises(UsageError, match="/dev/full cannot be written: No space left on device"):
        write_file(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_file(path, b"contents")
    assert os.read(reader, 100) == b"contents"
    os.close(reader)
    assert stat.S_ISFIFO(path.lstat().st_mode)


def test_a_device_has_nothing_beside_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file, and longer memory is"):
        write_set(tmp_path / "pipe", *made(1))
    assert os.listdir(tmp_path) == ["pipe"]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(link, b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    """Otherwise a user could not read what root saved over a file of mode 600."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    try:
        os.chown(path, 1234, 2345)
    except OSError as error:  # a user namespace has few users
        pytest.skip(f"no file can be given away here: {error.strerror}")
    write_file(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (1234, 2345, b"new")


def test_a_new_file_has_the_permissions_of_the_user(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "file", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/file", "No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", "embedded null (byte|character)"),
        ("x" * 300, "File name too long"),
    ],
)
def test_refused(tmp_path: Path, name: str, message: str) -> None:
    for write in (lambda path: write_file(path, b""), lambda path: write_set(path, b"", {})):
        with pytest.raises(UsageError, match=f"cannot be written: .*{message}"):
            write(tmp_path / name)
    assert not visible(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(UsageError, match="Permission denied"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_long_name_is_written(tmp_path: Path) -> None:
    write_file(tmp_path / ("x" * 255), b"x")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"x"


def test_a_socket_is_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(UsageError, match="cannot be written: No such device or address"):
            write_file(Path("socket"), b"data")
    assert stat.S_ISSOCK(os.stat("socket").st_mode)


def test_a_pipe_without_a_reader_does_not_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="cannot be written: no program reads the pipe"):
        write_file(pipe, b"data")
    with pytest.raises(UsageError, match="cannot be written: no program reads the pipe"):
        append_parts(pipe, [b"data"])


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_an_own_stream_goes_on_where_it_is(tmp_path: Path, name: str) -> None:
    """Redirected to a file: opened by its name, it would be written from its beginning."""
    code = (
        "from pathlib import Path; from dwarfgpu.base.writing import write_set; print('before'); "
        f"write_set(Path({name!r}), b'{{}}' * 9, {{}}); print('after')"
    )
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=60)
    assert (tmp_path / "out").read_bytes() == b"before\n" + b"{}" * 9 + b"after\n"
