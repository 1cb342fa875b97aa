"""Fat binaries of CUDA: files, host objects, compression, and what claims too much."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile import cuda_fatbin, file_bytes, lz4
from dwarfgpu.objfile.collection.members import members
from dwarfgpu.objfile.container import open_container, open_object, pick
from dwarfgpu.objfile.cuda_fatbin import read_fatbins
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import FATBIN_MAGIC
from dwarfgpu.objfile.lz4 import unpack_lz4
from tests.cli.command import FIXTURES, run, run_json
from tests.dwarf.builder import X86_64, elf
from tools.bombs.containers import fatbin

NVIDIA = FIXTURES / "nvidia"
CUBINS = [
    (NVIDIA / name).read_bytes() for name in ("combine.sm_75.lineinfo.cubin", "combine.sm_90.cubin")
]
"""What the fat binaries were made from."""
IDS = ["cubin-sm_75", "cubin-sm_90", "ptx-sm_75"]
LZ4, ZSTD = 0x2000, 0x8000


def entry(
    data: bytes,
    kind: int = 2,
    sm: int = 90,
    flags: int = 0,
    *,
    packed_bytes: int = 0,
    unpacked_bytes: int = 0,
    header_bytes: int = 64,
    size_bytes: int | None = None,
) -> bytes:
    size_bytes = len(data) if size_bytes is None else size_bytes
    header = struct.pack("<HHIQIIII", kind, 0x101, header_bytes, size_bytes, packed_bytes, 0, 0, sm)
    return header + struct.pack("<QQQQ", 0, flags, 0, unpacked_bytes) + data


def made(
    entries: Sequence[bytes], *, version: int = 1, header_bytes: int = 16, more_bytes: int = 0
) -> bytes:
    body = b"".join(entries)
    header = struct.pack("<HHQ", version, header_bytes, len(body) + more_bytes)
    return FATBIN_MAGIC + header + body


@pytest.mark.parametrize("name", ["combine", "combine.lz4", "combine.zstd"])
def test_entries_are_the_cubins(name: str) -> None:
    if name.endswith("zstd"):
        pytest.importorskip("zstandard")
    container = open_container(NVIDIA / f"{name}.fatbin")
    assert [one.id for one in container.entries] == IDS
    for one, data in zip(container.entries, CUBINS, strict=False):
        assert bytes(one.data[:]) == data
    text = bytes(container.entries[2].data[:])
    assert b".visible .entry combine(" in text


def test_info_lists_entries_that_it_does_not_unpack(tmp_path: Path) -> None:
    """Neither time nor memory, nor a fault inside one of them, is a matter of the list."""
    packed = bytearray((NVIDIA / "combine.lz4.fatbin").read_bytes())
    packed[128:328] = b"\xff" * 200  # in the data of the first
    path = tmp_path / "damaged.fatbin"
    path.write_bytes(packed)
    with pytest.raises(Malformed):
        bytes(open_container(path).entries[0].data[:])
    done = run("info", path)
    assert (done.status, done.err) == (0, "")
    assert [line.split()[1] for line in done.lines[2:5]] == IDS


def test_a_target_picks_one() -> None:
    path = NVIDIA / "combine.lz4.fatbin"
    for target in ("sm_90", "cubin-sm_90", "1"):
        assert open_object(path, target).machine == "CUDA"
    assert open_object(path, "sm_75").path == f"{path}[cubin-sm_75]"
    with pytest.raises(UsageError, match="it has 0: cubin-sm_75, 1: cubin-sm_90"):
        open_object(path, "sm_80")
    with pytest.raises(UsageError, match="give the target or the number of one"):
        open_object(path)


def test_ptx_has_no_machine_code() -> None:
    with pytest.raises(UsageError, match=r"\[ptx-sm_75\] is a text, without machine code"):
        open_object(NVIDIA / "combine.fatbin", "2")


def test_joined_entries_are_named() -> None:
    path = NVIDIA / "combine.joined.fatbin"
    assert [one.id for one in open_container(path).entries] == ["ptx-sm_75", "joined"]
    for target in ("1", None):
        with pytest.raises(Unsupported, match="compressed: its layout is not public"):
            open_object(path, target)
    assert run("info", path).lines[3].startswith("  1: joined")


def test_joined_entries_are_members_that_cannot_be_read() -> None:
    path = NVIDIA / "combine.joined.fatbin"
    [joined] = members([str(path)])
    assert str(joined) == f"{path}[1:joined]"
    for command in (("check",), ("where", "--all")):
        done = run(*command, path)
        assert done.status == 2 and "its layout is not public" in done.err


def test_a_fat_binary_without_entries(tmp_path: Path) -> None:
    path = tmp_path / "empty.fatbin"
    path.write_bytes(made([]))
    assert run("info", path).lines == [f"{path}: fat binary", "no code objects"]
    for named in (path, tmp_path):
        done = run("check", named)
        assert done.status == 2 and f"{named} holds no code for a GPU" in done.err


def test_a_host_object_has_those_of_every_translation_unit() -> None:
    container = open_container(NVIDIA / "host.o")
    assert [one.id for one in container.entries] == IDS * 2
    assert [one.bundle for one in container.entries] == [0] * 3 + [1] * 3
    assert {one.section for one in container.entries} == {".nv_fatbin"}
    assert pick(container, "1").compression == "lz4"
    with pytest.raises(UsageError, match="holds 2 code objects for sm_90: 1: cubin-sm_90, 4:"):
        pick(container, "sm_90")


def test_info() -> None:
    path = NVIDIA / "combine.lz4.fatbin"
    assert run("info", path).lines[:3] == [
        f"{path}: fat binary",
        "code objects:",
        "  0: cubin-sm_75 8032 bytes, lz4",
    ]
    (first, *_) = run_json("info", path).json["code_objects"]
    assert (first["kind"], first["target"], first["compression"]) == ("cubin", "sm_75", "lz4")
    assert run_json("info", path, "--target", "sm_90").json["cuda"]["target"] == "sm_90"
    lines = run("info", NVIDIA / "host.o").lines
    assert "  4: cubin-sm_90 31360 bytes in .nv_fatbin, zstd" in lines


@pytest.mark.parametrize(
    ("flags", "id"),
    [(0x11, "cubin-sm_100"), (0x100011, "cubin-sm_100a"), (0x200011, "cubin-sm_100f")],
)
def test_suffixes(flags: int, id: str) -> None:
    assert [one.id for one in read_fatbins(made([entry(b"", sm=100, flags=flags)]), "it")] == [id]


@pytest.mark.parametrize(
    ("words", "prefix"),
    [
        ("info FILE", "problem: Malformed: "),
        ("info FILE --target 0", "problem: Malformed: "),
        ("check FILE", "error: "),
        ("frames FILE --target 0", "note: "),
        ("where FILE --all --target 0", "note: "),
    ],
)
def test_an_entry_of_another_gpu_is_named(tmp_path: Path, words: str, prefix: str) -> None:
    fault = "entry 0, cubin-sm_80a, has a code object for sm_90 by its ELF header, and is read as"
    for sm, count in ((80, 1), (90, 0)):
        path = tmp_path / f"{sm}.fatbin"
        path.write_bytes(made([entry(CUBINS[1], sm=sm, flags=0x100000), entry(CUBINS[0], sm=75)]))
        done = run(*words.replace("FILE", str(path)).split())
        assert (done.out + done.err).count(f"{prefix}{fault}") == count
        assert (done.out + done.err).count("by its ELF header") == count


def test_a_compressed_entry_of_another_gpu_is_named_where_it_is_opened(tmp_path: Path) -> None:
    packed = bytearray((NVIDIA / "combine.lz4.fatbin").read_bytes())
    assert packed[44] == 75
    packed[44] = 80
    (path := tmp_path / "x.fatbin").write_bytes(packed)
    fault = "entry 0, cubin-sm_80, has a code object for sm_75 by its ELF header"
    assert fault not in run("info", path).out
    assert fault in run("info", path, "--target", "0").out
    assert fault in run("check", path).out


def test_unknown_kinds_are_listed_and_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "new.fatbin"
    path.write_bytes(made([entry(b"abcd", kind=8)]))
    assert [one.id for one in open_container(path).entries] == ["kind 8-sm_90"]
    with pytest.raises(Unsupported, match="entry 0 of kind 8"):
        open_object(path, "0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no fat binary"),
        (made([], more_bytes=1), "a fat binary of 1 byte is cut short"),
        (made([], more_bytes=1 << 62), "is cut short"),
        (made([], header_bytes=8), "is cut short"),
        (made([b"\2\0"]), "bytes needed"),
        (made([entry(b"", header_bytes=32)]), "the entry at 0x10 is cut short"),
        (made([entry(b"", header_bytes=0xFFFFFFFF)]), "is cut short"),
        (made([entry(b"", size_bytes=1 << 63)]), "is cut short"),
        (made([entry(b"ab", packed_bytes=3)]), "is cut short"),
        (made([entry(b"", flags=LZ4, unpacked_bytes=1 << 63)]), "claims 9223372036854775808 bytes"),
        (made([entry(b"ab", flags=LZ4, packed_bytes=2)]), "contradicts itself about its comp"),
        (made([entry(b"ab", flags=LZ4 | ZSTD, packed_bytes=2, unpacked_bytes=9)]), "contradicts"),
        (made([entry(b"")]) + b"more", "no fat binary begins here"),
    ],
)
def test_hostile(data: bytes, message: str) -> None:
    if not data:
        assert read_fatbins(data, "it") == ()
        return
    with pytest.raises(Malformed, match=message) as caught:
        read_fatbins(data, "it")
    assert str(caught.value).startswith("it+")


def test_another_version() -> None:
    with pytest.raises(Unsupported, match=r"it\+0x0: version 2 of fat binaries"):
        read_fatbins(made([], version=2), "it")


def test_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_fatbin, "MAX_ENTRIES", 10)
    assert len(read_fatbins(made([entry(b"")] * 10), "it")) == 10
    for data in (made([entry(b"")] * 11), made([entry(b"")] * 6) * 2):
        with pytest.raises(LimitExceeded, match="more than 10 code objects"):
            read_fatbins(data, "it")


def test_many_fat_binaries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without entries, and also those of several sections together."""
    monkeypatch.setattr(cuda_fatbin, "MAX_ENTRIES", 3)
    empty = made([])
    assert read_fatbins(empty * 3, "it") == ()
    with pytest.raises(LimitExceeded, match="it has more than 3 fat binaries"):
        read_fatbins(empty * 4, "it")
    file = ObjectFile("it", elf({".nv_fatbin": empty * 2, ".nv_fatbin\0": empty * 2}))
    with pytest.raises(LimitExceeded, match="it: .nv_fatbin has more than 3 fat binaries"):
        cuda_fatbin.fatbins_of(file)


def test_what_an_entry_claims_is_bounded() -> None:
    packed = entry(bytes(100), flags=LZ4, packed_bytes=100, unpacked_bytes=200 << 20)
    (one,) = read_fatbins(made([packed]), "it")  # listed without unpacking
    with pytest.raises(LimitExceeded, match=r"it\+0x0: cubin-sm_90 has .* when decompressed"):
        one.data[:4]
    large = entry(bytes(100), flags=LZ4, packed_bytes=100, unpacked_bytes=20_000)
    (one,) = read_fatbins(made([large]), "it", FileLimits(inflated_bytes=10_000))
    with pytest.raises(LimitExceeded, match="--max-inflated-bytes|more than 10000"):
        one.data[:4]


def test_both_sections_of_host_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "host"
    data = made([entry(bytes(4096))])
    path.write_bytes(elf({".nv_fatbin": data, "__nv_relfatbin": data}, X86_64))
    assert len(open_container(path).entries) == 2


@pytest.mark.parametrize(
    ("block", "out"),
    [
        (b"\x00", b""),
        (b"\x30abc", b"abc"),
        (b"\x32abc\x03\x00\x00", b"abc" + b"abcabc"),
        (b"\x1fa\x01\x00\x00\x00", b"a" * 20),
        (b"\x1fa\x01\x00\xff\x05\x00", b"a" * (1 + 15 + 255 + 5 + 4)),
        (b"\xf0\x01" + b"0123456789abcdef", b"0123456789abcdef"),
    ],
)
def test_lz4(block: bytes, out: bytes) -> None:
    assert unpack_lz4(block, len(out), "it") == out
    for size_bytes in (len(out) + 1, len(out) - 1):
        if size_bytes >= 0:
            with pytest.raises(Malformed, match="it cannot be decompressed"):
                unpack_lz4(block, size_bytes, "it")


@pytest.mark.parametrize(
    "block",
    [b"\x30ab", b"\x10a\x00\x00", b"\x10a\x02\x00\x00", b"\x10a\x01", b"\xf0", b"\xf0\xff\xff"],
)
def test_hostile_lz4(block: bytes) -> None:
    with pytest.raises(Malformed, match="it cannot be decompressed"):
        unpack_lz4(block, 100, "it")


def test_lz4_cannot_expand_more_than_its_format() -> None:
    with pytest.raises(Malformed, match="it declares 1000000 bytes"):
        unpack_lz4(b"\x1fa\x01\x00", 1_000_000, "it")


@pytest.mark.parametrize("form", ["fat binary", "host file"])
def test_damaged_entries_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Each entry may claim as much as the largest valid file has."""
    unpacked: list[str] = []

    def counted(data: bytes, size_bytes: int, subject: str) -> bytes:
        unpacked.append(subject)
        return unpack_lz4(data, size_bytes, subject)

    monkeypatch.setattr(lz4, "unpack_lz4", counted)
    data = fatbin([(0x2000, b"\xf0\1", 100)] * 30)
    if form == "host file":
        data = elf({".nv_fatbin": data}, X86_64)
    path = tmp_path / "many"
    path.write_bytes(data)
    container = open_container(path, FileLimits(inflated_bytes=1000))
    errors = []
    for item in container.entries:
        with pytest.raises(DwarfGpuError) as caught:
            container.open_entry(item)
        errors.append(str(caught.value))
    assert len(unpacked) == 11
    assert all("cannot be decompressed" in error for error in errors[:11])
    assert errors[11] == (
        f"{path}: entry 11 is not read: damaged ones have more than 1000 bytes when decompressed "
        "(--max-inflated-bytes)"
    )


@pytest.mark.parametrize("small_bytes", [1 << 20, 16], ids=["read at once", "read in parts"])
def test_entries_are_kept_no_longer_than_they_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_bytes: int
) -> None:
    """A list of hundreds of packed entries takes the memory of one, and each is unpacked once."""
    kept, most, unpacked = 0, 0, 0

    class Unpacked(bytes):
        def __del__(self) -> None:
            nonlocal kept
            kept -= 1

    def counted(data: bytes, size_bytes: int, subject: str) -> bytes:
        nonlocal kept, most, unpacked
        kept, unpacked = kept + 1, unpacked + 1
        most = max(most, kept)
        return Unpacked(unpack_lz4(data, size_bytes, subject))

    monkeypatch.setattr(lz4, "unpack_lz4", counted)
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", small_bytes)
    length = len(CUBINS[0])
    block = b"\xf0" + b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255]) + CUBINS[0]
    path = tmp_path / "many.fatbin"
    path.write_bytes(fatbin([(LZ4, block, length)] * 12))
    assert run("check", path).lines[-1].startswith("total: 12 files: 0 errors")
    assert (most, unpacked) == (1, 12)
