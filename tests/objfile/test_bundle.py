"""Offload bundles and fat binaries: those of clang-offload-bundler, made by hand, and mutated."""

from __future__ import annotations

import contextlib
import hashlib
import io
import random
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile import bundle as bundles
from dwarfgpu.objfile import file_bytes
from dwarfgpu.objfile.bundle import BundleEntry, entries_of, read_bundles
from dwarfgpu.objfile.container import open_container, open_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import BUNDLE_MAGIC
from tests.cli import command
from tests.dwarf.builder import FIXTURES, X86_64, elf, overlapping, read_fixture
from tests.objfile.build import run

Tool = Callable[[str], str]
HOST = "host-x86_64-unknown-linux-gnu-"
ON = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
OFF = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"
GFX942 = "hipv4-amdgcn-amd-amdhsa--gfx942"
CODE = {
    ON: "hip/nest.gfx90a.O2.v5.co",
    OFF: "hip/call.gfx90a.O2.v5.co",
    GFX942: "hip/nest.gfx942.O2.v5.co",
}


def plain(entries: dict[str, bytes]) -> bytes:
    """An uncompressed bundle."""
    table_bytes = len(BUNDLE_MAGIC) + 8 + sum(24 + len(id) for id in entries)
    out, body = BUNDLE_MAGIC + struct.pack("<Q", len(entries)), b""
    for id, data in entries.items():
        out += struct.pack("<QQQ", table_bytes + len(body), len(data), len(id)) + id.encode()
        body += data
    return out + body


def compressed(
    data: bytes, version: int = 2, method: int = 0, packed: bytes | None = None
) -> bytes:
    """A bundle in zlib, as each version of the format has it."""
    body = zlib.compress(data) if packed is None else packed
    head_bytes = {1: 20, 2: 24, 3: 32}[version]
    sizes = (head_bytes + len(body), len(data))
    head = b"CCOB" + struct.pack("<HH", version, method)
    head += struct.pack({1: "<I", 2: "<II", 3: "<QQ"}[version], *sizes[version == 1 :])
    return head + hashlib.md5(data, usedforsecurity=False).digest()[:8] + body


def ids(entries: tuple[BundleEntry, ...]) -> list[str]:
    return [entry.id for entry in entries]


SMALL = {HOST: b"", ON: b"on", OFF: b"off!", GFX942: b"gfx942"}


def test_many_compressed_bundles_are_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """None copies the rest of the file: the bytes that zlib is given are counted."""
    given: list[int] = []
    made = zlib.decompressobj

    class Counted:
        def __init__(self, window_bits: int) -> None:
            self.inner = made(window_bits)

        def decompress(self, data: bytes, most_bytes: int) -> bytes:
            given.append(len(data))
            return self.inner.decompress(data, most_bytes)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    monkeypatch.setattr(zlib, "decompressobj", Counted)
    data = compressed(plain({}), 1) * 5000
    assert read_bundles(data, "made") == ()
    assert len(data) > 150_000 and sum(given) <= 5000 * 4096


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (plain(SMALL), [None]),
        (compressed(plain(SMALL), 1), ["zlib"]),
        (compressed(plain(SMALL), 2), ["zlib"]),
        (compressed(plain(SMALL), 3), ["zlib"]),
        (plain(SMALL) + bytes(100) + plain(SMALL), [None, None]),
        (compressed(plain(SMALL), 1) + compressed(plain(SMALL), 3) + bytes(8), ["zlib", "zlib"]),
        (plain(SMALL) + bytes(3) + compressed(plain(SMALL)), [None, "zlib"]),
    ],
)
def test_bundles_by_hand(data: bytes, kinds: list[str | None]) -> None:
    entries = read_bundles(data, "made")
    assert [(entry.id, entry.data) for entry in entries] == list(SMALL.items()) * len(kinds)
    assert [entry.index for entry in entries] == list(range(4 * len(kinds)))
    assert [entry.compression for entry in entries[::4]] == kinds
    assert [entry.bundle for entry in entries[::4]] == list(range(len(kinds)))


def test_each_bundle_inside_a_compressed_one_is_read() -> None:
    inner = plain(SMALL) + bytes(100) + plain({OFF: b"off"}) + bytes(8)
    entries = read_bundles(compressed(inner) + plain({ON: b"end"}), "made")
    assert [entry.data for entry in entries] == [*SMALL.values(), b"off", b"end"]
    assert [entry.compression for entry in entries] == ["zlib"] * 5 + [None]
    assert [entry.bundle for entry in entries] == [0] * 5 + [1]


def test_entries_of_a_large_compressed_bundle_are_not_copied() -> None:
    """One of nearly as many bytes as may be decompressed would take twice as much memory."""
    chance = random.Random(0)
    entries = {
        id: b"".join(chance.randbytes(1 << 14) * 16 for _ in range(8)) for id in (ON, OFF, GFX942)
    }
    data = compressed(plain(entries), 3)
    tracemalloc.start()
    try:
        read = read_bundles(data, "made")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 8 << 20
    assert [bytes(entry.data) for entry in read] == [*entries.values()]


def test_a_compressed_bundle_is_unpacked_once_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lists the code objects keeps none of them while they are checked."""
    kept, most, inflate = 0, 0, bundles.inflate

    class Unpacked(bytes):
        def __del__(self) -> None:
            nonlocal kept
            kept -= 1

    def counted(data: bytes, size_bytes: int, subject: str) -> bytes:
        nonlocal kept, most
        kept += 1
        most = max(most, kept)
        return Unpacked(inflate(data, size_bytes, subject))

    monkeypatch.setattr(bundles, "inflate", counted)
    monkeypatch.setattr(file_bytes, "_SMALL_FILE_BYTES", 16)
    path = tmp_path / "all.bundle"
    path.write_bytes(compressed(plain(dict.fromkeys(CODE, elf({".text": b"abcd"}, X86_64)))))
    assert command.run("check", path).lines[-1].startswith("total: 3 files: ")
    assert most == 1


@pytest.mark.parametrize(
    ("id", "kind", "triple", "target"),
    [
        (HOST, "host", "x86_64-unknown-linux-gnu", "None"),
        (ON, "hipv4", "amdgcn-amd-amdhsa", "gfx90a:xnack+"),
        ("hip-amdgcn-amd-amdhsa-gfx803", "hip", "amdgcn-amd-amdhsa", "gfx803"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "hipv4", "amdgcn-amd-amdhsa", "gfx9-4-generic"),
        ("openmp-nvptx64-nvidia-cuda--sm_70", "openmp", "nvptx64-nvidia-cuda--sm_70", "None"),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:odd+", "hipv4", "amdgcn-amd-amdhsa", "None"),
    ],
)
def test_ids(id: str, kind: str, triple: str, target: str) -> None:
    entry = BundleEntry(0, id, b"")
    assert (entry.kind, entry.triple, str(entry.target)) == (kind, triple, target)


def test_a_long_id_is_cut_in_lines(tmp_path: Path) -> None:
    path = tmp_path / "long"
    ids = {f"hip-x86\x01{'x' * 6000}": b"1", **{f"hip-{index}": b"2" for index in range(150)}}
    path.write_bytes(plain(ids))
    done = command.run("info", path)
    first = next(line for line in done.out.splitlines() if "xxx" in line)
    assert first.endswith("… (6008 characters) 1 bytes") and len(first) < 300
    with pytest.raises(UsageError) as raised:
        open_object(path)
    assert "(6008 characters), 1: hip-0, " in raised.value.message
    assert (
        " 11: hip-10 and 139 more; give the target or the number of one (--target)"
        in raised.value.message
    )


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """An empty host part, then the code objects of `CODE`."""
    empty = tmp_path / "empty"
    empty.touch()
    return [empty, *(FIXTURES / name for name in CODE.values())]


def _bundle(bundler: str, parts: list[Path], path: Path, *options: str, kind: str = "bc") -> Path:
    targets = ",".join([HOST, *CODE])
    inputs = [f"-input={part}" for part in parts]
    run(bundler, f"-type={kind}", f"-targets={targets}", *inputs, f"-output={path}", *options)
    return path


def _check(path: Path, compression: str | None = None) -> None:
    container = open_container(path)
    devices = container.device_entries()
    assert [device.compression for device in devices] == [compression] * 3
    assert {device.id: device.data for device in devices} == {
        id: read_fixture(name) for id, name in CODE.items()
    }
    picked = open_object(path, "gfx942")
    assert picked.path == f"{path}[gfx942]"
    assert picked.file_bytes(0, picked.size_bytes, "all") == read_fixture(CODE[GFX942])


def test_a_bundle_of_clang(tool: Tool, tmp_path: Path, parts: list[Path]) -> None:
    bundler = tool("clang-offload-bundler-19")
    path = _bundle(bundler, parts, tmp_path / "a.bundle", "-bundle-align=4096")
    _check(path)
    theirs = run(bundler, "--list", "-type=bc", f"-input={path}").split()
    assert set(theirs) - {HOST} >= set(CODE)


def test_a_host_object(tool: Tool, tmp_path: Path, parts: list[Path]) -> None:
    source, host = tmp_path / "h.c", tmp_path / "h.o"
    source.write_text("int main(void) { return 0; }")
    run(tool("clang-19"), "-c", source, "-o", host)
    parts[0] = host
    bundler = tool("clang-offload-bundler-19")
    _check(_bundle(bundler, parts, tmp_path / "b.o", kind="o"))


def test_a_fat_binary(tool: Tool, tmp_path: Path, parts: list[Path]) -> None:
    bundler = tool("clang-offload-bundler-19")
    fat = _bundle(bundler, parts, tmp_path / "a.hipfb", "-bundle-align=4096")
    source, host = tmp_path / "h.s", tmp_path / "host"
    source.write_text(
        f'.globl main\nmain: ret\n.section .hip_fatbin,"a"\n.p2align 12\n.incbin "{fat}"\n'
        f'.p2align 12\n.incbin "{fat}"\n'
    )
    run(tool("clang-19"), "-c", source, "-o", host)
    container = open_container(host)
    assert [device_entry.bundle for device_entry in container.device_entries()] == [0] * 3 + [1] * 3
    assert open_object(host).machine == "X86_64"
    with pytest.raises(UsageError, match="holds 2 code objects for gfx942: 3: gfx942, 7: gfx942"):
        open_object(host, "gfx942")
    assert open_object(host, "7").machine == "AMDGPU"


def test_compression_by_clang(
    tool: Tool, tmp_path: Path, parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundler = tool("clang-offload-bundler-19")
    path = _bundle(bundler, parts, tmp_path / "c.bundle", "-compress")
    method = path.read_bytes()[6]
    if method == 1:
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "zstandard", None)
            with pytest.raises(Unsupported, match="needs the package zstandard: "):
                open_object(path, "gfx942")
        pytest.importorskip("zstandard", reason="the extra zstd is not installed")
    _check(path, "zstd" if method == 1 else "zlib")


class _Library(ModuleType):
    """Stands for the package `zstandard`, with zlib in place of the format."""

    class ZstdError(Exception):
        pass

    class ZstdDecompressor:
        def stream_reader(self, source: io.BytesIO) -> io.BytesIO:
            try:
                return io.BytesIO(zlib.decompress(source.read()))
            except zlib.error as error:
                raise _Library.ZstdError(str(error)) from None


def test_zstandard_by_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", _Library("zstandard"))
    entries = read_bundles(compressed(plain(SMALL), method=1), "made")
    assert ids(entries) == list(SMALL)
    assert entries[0].compression == "zstd"
    for packed, size, message in (
        (b"junk", 4, "cannot be decompressed"),
        (zlib.compress(plain(SMALL)), 4, "does not decompress to 4 bytes"),
        (zlib.compress(plain(SMALL)), 1 << 20, "does not decompress to"),
    ):
        data = bytearray(compressed(plain(SMALL), method=1, packed=packed))
        data[12:16] = size.to_bytes(4, "little")
        with pytest.raises(Malformed, match=message):
            read_bundles(bytes(data), "made")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_bundles_of_zstandard_one_after_another(version: int) -> None:
    """Those of version 1 do not say how long they are: the frames do."""
    library = pytest.importorskip("zstandard", reason="the extra zstd is not installed")
    data = plain(SMALL)
    for options in ({}, {"write_checksum": True}, {"write_content_size": False}):
        packed = library.ZstdCompressor(**options).compress(data)
        one = compressed(data, version, 1, packed)
        entries = read_bundles(one + bytes(5) + one + plain(SMALL) + bytes(9), "made")
        assert [entry.data for entry in entries] == [*SMALL.values()] * 3
        assert [entry.compression for entry in entries[::4]] == ["zstd", "zstd", None]
        if version == 1:
            with pytest.raises(Malformed, match="cut short"):
                read_bundles(one[:-1], "made")


def _table(count: int, *rows: tuple[int, int, bytes]) -> bytes:
    out = BUNDLE_MAGIC + struct.pack("<Q", count)
    return out + b"".join(struct.pack("<QQQ", at, size, len(id)) + id for at, size, id in rows)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"text", Malformed, "no offload bundle begins"),
        (BUNDLE_MAGIC, Malformed, "8 bytes needed"),
        (_table(1 << 60), Malformed, "entries do not fit"),
        (_table(1, (0, 1 << 40, b"x")), Malformed, "the entry x is cut short"),
        (_table(1, (0, 1 << 40, b"a\nb")), Malformed, r"the entry a\\x0ab is cut short"),
        (_table(3, (0, 80, b"x"), (0, 80, b"y"), (0, 80, b"z")), Malformed, "overlap"),
        (
            BUNDLE_MAGIC + struct.pack("<Q", 65_537) + bytes(24 * 65_537),
            LimitExceeded,
            "made.0x0 has more than 65536 code objects",
        ),
        (plain(SMALL) + b"junk", Malformed, r"made\+0x[0-9a-f]+: no offload bundle"),
        (b"CCOB", Malformed, "2 bytes needed"),
        (b"CCOB\4\0\0\0", Unsupported, "version 4"),
        (compressed(plain(SMALL), method=7), Unsupported, "compression method 7"),
        (compressed(b"text"), Malformed, "no offload bundle is inside"),
        (compressed(plain(SMALL), packed=b"junk"), Malformed, "made"),
        (compressed(plain(SMALL))[:-1], Malformed, "a compressed bundle of"),
        (compressed(compressed(plain(SMALL))), Malformed, "no offload bundle is inside"),
        (
            compressed(plain(SMALL) + b"\0\0junk"),
            Malformed,
            "no offload bundle is inside the compressed one at 0x",
        ),
    ],
)
def test_bundles_that_are_refused(data: bytes, error: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(error, match=message):
        read_bundles(data, "made")


def test_sections_of_bundles_that_overlap() -> None:
    contents = {f"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn--gfx{n}": bytes(100) for n in range(900, 940)}
    data = overlapping(elf(contents), "__CLANG")
    with pytest.raises(Malformed, match="bundles overlap"):
        entries_of(ObjectFile("made", data))
    assert len(entries_of(ObjectFile("made", elf(contents)))) == 40


def test_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = compressed(plain({ON: bytes(1 << 20)}))
    monkeypatch.setattr(bundles, "MAX_UNPACKED_BYTES", 3 << 20)
    with pytest.raises(LimitExceeded):
        read_bundles(bomb * 4, "made")


def test_many_empty_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of several sections together."""
    monkeypatch.setattr(bundles, "MAX_ENTRIES", 3)
    empty = plain({})
    assert read_bundles(empty * 3, "made") == ()
    with pytest.raises(LimitExceeded, match="made has more than 3 bundles"):
        read_bundles(empty * 4, "made")
    file = ObjectFile("made", elf({".hip_fatbin": empty * 2, ".hip_fatbin\0": empty * 2}))
    with pytest.raises(LimitExceeded, match="made: .hip_fatbin has more than 3 bundles"):
        entries_of(file)


@pytest.mark.parametrize(
    ("id", "triple", "target"),
    [
        (GFX942, "amdgcn-amd-amdhsa", "gfx942"),
        ("hip-amdgpu9.42-amd-amdhsa-unknown-gfx942", "amdgpu9.42-amd-amdhsa-unknown", "gfx942"),
        ("hipv4-amdgpu9.0a-amd-amdhsa--gfx90a:xnack+", "amdgpu9.0a-amd-amdhsa", "gfx90a:xnack+"),
    ],
)
def test_both_spellings_of_triples(id: str, triple: str, target: str) -> None:
    """LLVM 24 has the version of the processor in the triple."""
    [entry] = read_bundles(plain({id: b"code"}), "made")
    assert (entry.triple, str(entry.target)) == (triple, target)


@pytest.fixture
def fat(tmp_path: Path) -> Path:
    """A host program with two targets of one processor and one of another."""
    code = {id: read_fixture(name) for id, name in CODE.items()}
    path = tmp_path / "host"
    path.write_bytes(elf({".hip_fatbin": plain({HOST: b"", **code})}, machine=X86_64))
    return path


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("gfx942", "gfx942"),
        ("gfx942:xnack+", "gfx942"),
        ("gfx90a:xnack+", "gfx90a:xnack+"),
        ("gfx90a:sramecc+:xnack-", "gfx90a:xnack-"),
        (GFX942, "gfx942"),
        ("2", "gfx90a:xnack-"),
    ],
)
def test_picking(fat: Path, target: str, name: str) -> None:
    assert open_object(fat, target).path == f"{fat}[{name}]"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("gfx90a", "holds 2 code objects for gfx90a: 1: gfx90a:xnack\\+, 2: gfx90a:xnack-; give"),
        ("gfx1100", "holds no code for gfx1100; it has 1: gfx90a:xnack\\+, 2: .*, 3: gfx942"),
        ("9", "holds no code for 9"),
        ("0", "is not an ELF file"),  # the host's own part is empty
        ("sm_70", "holds no code for sm_70"),
        ("axpy-gfx942", "holds no code for axpy-gfx942; it has 1: gfx90a:xnack\\+"),
        ("gfx90a:bad+", "unknown feature bad"),
    ],
)
def test_picking_what_is_not_there(fat: Path, target: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_object(fat, target)


def test_files_without_choice(fat: Path, tmp_path: Path) -> None:
    assert open_object(fat).machine == "X86_64"
    alone = tmp_path / "alone.hsaco"
    alone.write_bytes(read_fixture(CODE[GFX942]))
    assert open_object(alone).path == open_object(alone, "gfx942").path == str(alone)
    with pytest.raises(UsageError, match="is for gfx942, not for gfx90a"):
        open_object(alone, "gfx90a")
    one = tmp_path / "one"
    one.write_bytes(plain({HOST: b"", GFX942: read_fixture(CODE[GFX942])}))
    assert open_object(one).machine == "AMDGPU"
    several = tmp_path / "several"
    several.write_bytes(plain({ON: b"x", OFF: b"y"}))
    with pytest.raises(UsageError, match=r"holds 2 code objects: 0: .*\(--target\)"):
        open_object(several)
    for data, message in ((b"text", "is not an ELF file"), (elf({}, machine=62), "no code for a")):
        several.write_bytes(data)
        with pytest.raises(UsageError, match=message):
            open_object(several, "gfx942")


def test_mutated_bundles() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    originals = [plain(SMALL) + bytes(9) + plain(SMALL), compressed(plain(SMALL), 1),
                 compressed(plain(SMALL), 2), compressed(plain(SMALL), 3)]  # fmt: skip
    for _ in range(2000):
        data = bytearray(source.choice(originals))
        for _ in range(source.randint(1, 5)):
            data[source.randrange(len(data))] = source.choice((0, 1, 0xFF, source.randrange(256)))
        if source.random() < 0.2:
            del data[source.randrange(len(data)) :]
        with contextlib.suppress(DwarfGpuError):
            for bundle in read_bundles(bytes(data), "mutated"):
                assert bundle.kind is not None and str(bundle.target)
        with contextlib.suppress(DwarfGpuError):
            entries_of(ObjectFile("mutated", elf({".hip_fatbin": bytes(data)}, machine=62)))


FAULT = f"entry 1, {ON}, has a code object for gfx942 by its ELF header, and is read as that"


@pytest.mark.parametrize(
    ("words", "prefix"),
    [
        ("info FILE", "problem: Malformed: "),
        ("check FILE", "error: "),
        ("frames FILE", "note: "),
        ("disas FILE --no-source", "note: Malformed: "),
        ("where FILE --all", "note: "),
        ("eval --file FILE 1", "note: "),
        ("dispatch FILE nest --grid 64 --workgroup 64", "; Malformed: "),
    ],
)
def test_an_entry_of_another_gpu_is_named(tmp_path: Path, words: str, prefix: str) -> None:
    code = read_fixture(CODE[GFX942])
    for id, count in ((ON, 1), (GFX942, 0)):
        path = tmp_path / f"{id}.bundle"
        path.write_bytes(plain({HOST: b"", id: code}))
        result = command.run(*words.replace("FILE", str(path)).split())
        assert (result.out + result.err).count(f"{prefix}{FAULT}") == count, result
        assert (result.out + result.err).count("by its ELF header") == count


def test_a_generic_code_object_is_one_of_its_family(tmp_path: Path) -> None:
    """AMDGPU usage, "AMDGPU Generic Processor Table": it runs on several processors."""
    code, path = bytearray(read_fixture(CODE[GFX942])), tmp_path / "x.bundle"
    code[48] = 0x5F  # gfx9-4-generic
    for id, count in ((GFX942, 0), ("hipv4-amdgcn-amd-amdhsa--gfx1100", 1)):
        path.write_bytes(plain({id: bytes(code)}))
        assert command.run("info", str(path)).out.count("by its ELF header") == count


def test_entries_of_other_gpus_are_named_where_none_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "x.bundle"
    code = read_fixture(CODE[GFX942])
    path.write_bytes(compressed(plain({HOST: b"", ON: code, GFX942: code, OFF: b"\x7fELF"})))
    result = command.run("info", str(path))
    assert [line for line in result.out.splitlines() if "problem" in line] == [
        f"problem: Malformed: {FAULT}"
    ]
    path.write_bytes(plain({id: read_fixture(name) for id, name in CODE.items()}))
    assert "problem" not in command.run("info", str(path)).out


def test_contents_that_do_not_have_the_hash_are_named(tmp_path: Path) -> None:
    """zlib has a checksum; the frames that clang makes with Zstandard have none."""
    code, path = read_fixture(CODE[GFX942]), tmp_path / "x.bundle"
    whole = compressed(plain({HOST: b"", GFX942: code}))
    changed = code.replace(b".text", b".texu")
    assert changed != code
    other = compressed(plain({HOST: b"", GFX942: changed}))
    damaged = whole[:16] + whole[16:24] + other[24:]
    fault = "bundle 0 is compressed, and its contents do not have the hash in its header"
    damaged = damaged[:8] + struct.pack("<I", len(damaged)) + damaged[12:]
    for data, count in ((damaged, 1), (whole, 0), (other, 0)):
        path.write_bytes(data)
        for words in ("info", "check", "frames", "where --all", "eval 1 --file"):
            result = command.run(*words.split(), str(path))
            assert (result.out + result.err).count(fault) == count, (words, result)
    path.write_bytes(damaged + damaged)
    result = command.run("info", str(path))
    faults = [line for line in result.out.splitlines() if "problem" in line]
    assert [line.count(fault.replace("0", str(n))) for n, line in enumerate(faults)] == [1, 1]
