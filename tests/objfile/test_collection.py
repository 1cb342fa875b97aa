"""The object files in archives, packages, fat binaries and folders, by name and one by one."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import pickle
import shutil
import struct
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, UsageError
from dwarfgpu.objfile.collection import ar, tar, zip
from dwarfgpu.objfile.collection.ar import ar_files
from dwarfgpu.objfile.collection.members import Member, members
from dwarfgpu.objfile.collection.open_member import open_member
from tests.cli.command import FIXTURES
from tests.dwarf.builder import X86_64, elf
from tests.objfile import archives
from tests.objfile.archives import ar_member, zipped
from tests.objfile.test_bundle import GFX942, HOST, plain

NEST = (FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes()
DATA = (FIXTURES / "hip/data.gfx942.O2.v5.co").read_bytes()
CORE = FIXTURES / "core/crash.x86_64.O2.core"


def names(*paths: Path, **wanted: Any) -> list[str]:
    """The members of files and folders, without the folder of the first; `!` and the problem."""
    folder = f"{paths[0].parent}/"
    result = members([str(path) for path in paths], **wanted)
    return [
        f"{member}{'' if member.problem is None else f' ! {member.problem}'}".replace(folder, "")
        for member in result
    ]


def contents(path: Path) -> list[bytes]:
    """The bytes of all members, each opened from its pickle as another process does."""
    out = []
    for member in members([str(path)]):
        file = open_member(pickle.loads(pickle.dumps(member)))
        out.append(file.file_bytes(0, file.size_bytes, "file"))
    return out


LONG = "a_name_that_does_not_fit.o"


@pytest.mark.parametrize(
    ("file_name", "data"),
    [
        ("gnu.a", archives.ar({"nest.o": NEST, "readme": b"text", LONG: DATA})),
        ("bsd.a", archives.bsd_ar({"nest.o": NEST, "readme": b"text", LONG: DATA})),
        ("deflated.whl", zipped({"nest.o": NEST, "readme": b"text", LONG: DATA})),
        (
            "stored.whl",
            zipped({"nest.o": NEST, "readme": b"", LONG: DATA}, zipfile.ZIP_STORED),
        ),
        ("xz.deb", archives.deb({"./nest.o": NEST, "./readme": b"text", f"./{LONG}": DATA})),
        ("gz.deb", archives.deb({"nest.o": NEST, LONG: DATA}, "gz")),
        ("plain.deb", archives.deb({"nest.o": NEST, LONG: DATA}, "")),
    ],
)
def test_the_object_files_of_an_archive(tmp_path: Path, file_name: str, data: bytes) -> None:
    path = tmp_path / file_name
    path.write_bytes(data)
    assert names(path) == [f"{file_name}(nest.o)", f"{file_name}({LONG})"]
    assert contents(path) == [NEST, DATA]


def test_a_package_that_is_compressed_with_zstandard(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    data = zstandard.ZstdCompressor().compress(archives.tar({"nest.o": NEST}))
    path = tmp_path / "zst.deb"
    path.write_bytes(
        b"!<arch>\n" + archives.ar_member(b"debian-binary", b"2.0\n")
        + archives.ar_member(b"data.tar.zst", data)
    )  # fmt: skip
    assert contents(path) == [NEST]


def test_names_of_pax_and_of_a_prefix(tmp_path: Path) -> None:
    deep = "/".join(["folder"] * 30) + "/nest.o"
    for format in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        path = tmp_path / f"{format}.deb"
        path.write_bytes(
            b"!<arch>\n" + archives.ar_member(b"debian-binary", b"2.0\n")
            + archives.ar_member(b"data.tar", archives.tar({deep: NEST}, format))
        )  # fmt: skip
        assert names(path) == [f"{format}.deb({deep})"]
        assert contents(path) == [NEST]


def test_very_many_extra_fields_of_a_zip_archive() -> None:
    """The one with the large numbers is among the first."""
    large = struct.pack("<HHQ", 1, 8, 1 << 40)
    for count, size in ((zip._MAX_FIELDS - 1, 1 << 40), (zip._MAX_FIELDS, zip._IN_EXTRA)):
        assert zip._wide(bytes(4) * count + large, zip._IN_EXTRA, 5, 7) == (size, 5, 7)


def _with_pax_records(count: int) -> bytes:
    content = b"".join(b"14 path=%05d\n" % number for number in range(count))
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(content)
    return header.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512)


def test_many_records_of_pax_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar, "_MAX_RECORDS", 1_000)
    following = archives.tar({"x.o": NEST})
    (file,) = tar.tar_files(_with_pax_records(600) + following, "made")
    assert file.name == "00599"
    with pytest.raises(LimitExceeded, match="made has more than 1000 records in headers"):
        list(tar.tar_files(_with_pax_records(600) * 2 + following, "made"))


def test_a_record_of_a_pax_header_is_read_once() -> None:
    class Counted(bytes):
        sliced = 0

        def __getitem__(self, key: Any) -> Any:
            part = super().__getitem__(key)
            Counted.sliced += len(part)
            return part

    content = Counted(b"5 ab\n" * 1_000)
    assert len(list(tar._pax(content))) == 1_000
    assert Counted.sliced <= len(content)


@pytest.mark.skipif(shutil.which("ar") is None, reason="ar is not installed")
@pytest.mark.parametrize("flags", ["rc", "rcD", "rcS"])
def test_archives_as_ar_writes_them(tmp_path: Path, flags: str) -> None:
    (tmp_path / "nest.o").write_bytes(NEST)
    (tmp_path / LONG).write_bytes(DATA)
    subprocess.run(["ar", flags, "lib.a", "nest.o", LONG], cwd=tmp_path, check=True)
    assert names(tmp_path / "lib.a") == ["lib.a(nest.o)", f"lib.a({LONG})"]
    assert contents(tmp_path / "lib.a") == [NEST, DATA]


def test_files_of_one_name_are_distinguished_by_number(tmp_path: Path) -> None:
    path = tmp_path / "lib.a"
    path.write_bytes(archives.ar([("x.o", NEST), ("x.o", DATA), ("x.o", NEST)]))
    assert names(path) == ["lib.a(x.o)", "lib.a(x.o#2)", "lib.a(x.o#3)"]
    assert contents(path) == [NEST, DATA, NEST]


def test_the_code_objects_of_a_bundle(tmp_path: Path) -> None:
    path = tmp_path / "lib.a"
    made = plain({
        "host-x86_64-unknown-linux-gnu": b"",
        "hipv4-amdgcn-amd-amdhsa--gfx942": NEST,
        "hipv4-amdgcn-amd-amdhsa--gfx90a": DATA,
        "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": DATA,
        "hip-amdgcn-amd-amdhsa--gfx942": DATA,
    })  # fmt: skip
    path.write_bytes(archives.ar({"k.hipfb": made}))
    assert names(path) == [
        "lib.a(k.hipfb)[1:gfx942]",
        "lib.a(k.hipfb)[gfx90a]",
        "lib.a(k.hipfb)[gfx90a:xnack+]",
        "lib.a(k.hipfb)[4:gfx942]",
    ]
    assert contents(path) == [NEST, DATA, DATA, DATA]
    assert names(path, target="gfx942") == ["lib.a(k.hipfb)[1:gfx942]", "lib.a(k.hipfb)[4:gfx942]"]
    assert names(path, target="4") == ["lib.a(k.hipfb)[4:gfx942]"]
    assert "holds no code for gfx1100" in names(path, target="gfx1100")[0]


class TestTarget:
    """Of several files, those for other GPUs are left out; a file alone has an error."""

    PLAIN_942 = FIXTURES / "triton/axpy.gfx942.co"
    PLAIN_1100 = FIXTURES / "triton/axpy.gfx1100.co"
    CUBIN = FIXTURES / "nvidia/axpy.sm_90.cubin"

    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "build"
        folder.mkdir()
        for file in (self.PLAIN_942, self.PLAIN_1100, self.CUBIN):
            shutil.copy(file, folder)
        (folder / "host").write_bytes(elf({}, machine=X86_64))
        (folder / "k.hipfb").write_bytes(plain({HOST: b"", GFX942: NEST}))
        return folder

    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("gfx942", ["axpy.gfx942.co", "k.hipfb[gfx942]"]),
            ("gfx1100", ["axpy.gfx1100.co"]),
            ("sm_90a", ["axpy.sm_90.cubin"]),
            (GFX942, ["k.hipfb[gfx942]"]),
        ],
    )
    def test_only_its_code_objects(self, tmp_path: Path, target: str, expected: list[str]) -> None:
        folder = self.folder(tmp_path)
        files = sorted(folder.iterdir())
        assert names(folder, target=target) == [f"build/{name}" for name in expected]
        assert names(*files, target=target) == expected
        path = tmp_path / "lib.a"
        path.write_bytes(archives.ar([(file.name, file.read_bytes()) for file in files]))
        result = [f"lib.a({name.replace('[', ')[')}" for name in expected]
        result = [name if name.endswith("]") else f"{name})" for name in result]
        assert names(path, target=target) == result

    @pytest.mark.parametrize("name", ["", "lib.a"])
    def test_none_is_one_error(self, tmp_path: Path, name: str) -> None:
        path = self.folder(tmp_path) / name
        if name:
            files = {"a.co": self.PLAIN_942.read_bytes(), "h": elf({}, X86_64)}
            path.write_bytes(archives.ar(files))
        [only] = members([str(path)], "gfx90a")
        assert str(only.problem) == f"{path} holds no code for gfx90a"
        several = [str(self.PLAIN_942), str(self.CUBIN)]
        [only] = members(several, "gfx90a")
        assert str(only.problem) == "none of 2 files and folders holds code for gfx90a"

    def test_no_target_at_all_is_an_error_before_the_work(self, tmp_path: Path) -> None:
        for paths in ([str(self.folder(tmp_path))], [str(self.PLAIN_942), str(self.PLAIN_1100)]):
            with pytest.raises(UsageError, match="axpy is not a target"):
                next(members(paths, "axpy"))

    def test_a_file_alone(self) -> None:
        [only] = members([str(self.PLAIN_1100)], "gfx942")
        assert str(only.problem) == f"{self.PLAIN_1100} is for gfx1100, not for gfx942"
        [only] = members([str(self.PLAIN_1100)], "axpy")
        assert "axpy is not a target" in str(only.problem)


def test_a_fat_binary_is_its_host_file_and_its_code_objects(tmp_path: Path) -> None:
    path = tmp_path / "app"
    path.write_bytes(elf({".hip_fatbin": plain({HOST: b"", GFX942: NEST})}, machine=X86_64))
    assert names(path) == ["app", "app[gfx942]"]
    assert contents(path) == [path.read_bytes(), NEST]
    path.write_bytes(elf({".hip_fatbin": b"damaged"}, machine=X86_64))
    host, rest = members([str(path)])
    assert host == Member(str(path))
    assert str(rest) == f"{path}[code objects]" and "no offload bundle" in str(rest.problem)


def test_a_file_without_readable_section_headers_is_one_file(tmp_path: Path) -> None:
    """It cannot be read; code objects in it are not a second file that cannot be read."""
    path = tmp_path / "app"
    cut = bytearray(elf({}, machine=X86_64))
    struct.pack_into("<H", cut, 60, 60000)  # e_shnum
    path.write_bytes(cut)
    assert list(members([str(path)])) == [Member(str(path))]


def test_archives_in_one_another(tmp_path: Path) -> None:
    inner = archives.ar({"nest.o": NEST})
    path = tmp_path / "x.deb"
    path.write_bytes(archives.deb({"usr/lib/x.a": inner, "opt/y.whl": zipped({"x.a": inner})}))
    assert names(path) == ["x.deb(usr/lib/x.a)(nest.o)", "x.deb(opt/y.whl)(x.a)(nest.o)"]
    assert contents(path) == [NEST, NEST]


def test_a_folder_is_read_by_name_and_each_file_once(tmp_path: Path) -> None:
    folder = tmp_path / "build"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.o").write_bytes(NEST)
    (folder / "a.a").write_bytes(archives.ar({"nest.o": NEST, "core": CORE.read_bytes()}))
    (folder / "deep/c.whl").write_bytes(zipped({"x.so": DATA}))
    (folder / "text").write_text("no object")
    (folder / "empty.zip").write_bytes(zipped({"x.txt": b"text"}))
    (folder / "loop").symlink_to(folder)
    (folder / "link.o").symlink_to(folder / "b.o")
    shutil.copy(CORE, folder / "core")
    expected = ["build/a.a(nest.o)", "build/b.o", "build/deep/c.whl(x.so)"]
    assert names(folder) == expected
    assert names(folder, folder / "b.o", folder) == expected


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.mkdir(), "no ELF file, fat binary or bundle is in this folder"),
        (
            lambda path: path.write_bytes(zipped({"x": b"text"})),
            "bundle is in this archive",
        ),
        (lambda path: path.write_bytes(b"!<arch>\n"), "bundle is in this archive"),
    ],
)
def test_a_missing_object_file_is_reported(tmp_path: Path, make: object, why: str) -> None:
    path = tmp_path / "x"
    make(path)  # type: ignore[operator]
    [only] = members([str(path)])
    assert isinstance(only.problem, UsageError) and why in str(only.problem)
    with pytest.raises(UsageError, match="no ELF file"):
        open_member(only)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_core_file_in_an_archive_is_named(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """Beside object files and alone, compressed or not."""
    core, name = pack(CORE.read_bytes()), tmp_path / "x.a"
    message = f"{name}(core) is a core file: extract it from the archive"
    for objects in ({}, {"b.co": NEST}):
        name.write_bytes(archives.ar({"core": core, **objects}))
        first, *rest = members([str(name)])
        assert isinstance(first.problem, UsageError) and str(first.problem) == message
        assert [str(member) for member in rest] == [f"{name}({e})" for e in objects]


def test_another_file_is_a_member_that_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("no object")
    [only] = members([str(path)])
    assert only == Member(str(path))
    with pytest.raises(UsageError):
        open_member(only)
    [absent] = members([str(tmp_path / "nosuch")])
    with pytest.raises(UsageError, match="No such file"):
        open_member(absent)


class TestThinArchives:
    """They have names of files, which are read where they are, but not from just anywhere."""

    def make(self, folder: Path, *files: str) -> Path:
        path = folder / "thin.a"
        path.write_bytes(archives.ar(dict.fromkeys(files, NEST), magic=b"!<thin>\n"))
        return path

    def test_the_files_beside_it(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub/nest.o").write_bytes(NEST)
        (tmp_path / "x.o").write_bytes(DATA)
        path = self.make(tmp_path, "x.o", "sub/nest.o")
        assert names(path) == ["x.o", "sub/nest.o"]
        assert contents(path) == [DATA, NEST]
        assert names(tmp_path) == [f"{tmp_path.name}/x.o", f"{tmp_path.name}/sub/nest.o"]

    def test_a_file_outside_needs_a_folder_with_both(self, tmp_path: Path) -> None:
        build = tmp_path / "build"
        build.mkdir()
        (tmp_path / "x.o").write_bytes(NEST)
        path = self.make(build, "../x.o")
        [refused] = members([str(path)])
        assert "is outside of" in str(refused.problem)
        assert names(tmp_path) == [f"{tmp_path.name}/x.o"]

    def test_a_link_leads_nowhere_either(self, tmp_path: Path) -> None:
        build = tmp_path / "build"
        build.mkdir()
        (tmp_path / "x.o").write_bytes(NEST)
        (build / "x.o").symlink_to("../x.o")
        [refused] = members([str(self.make(build, "x.o"))])
        assert "is outside of" in str(refused.problem)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        [missing] = members([str(self.make(tmp_path, "gone.o"))])
        assert str(missing.problem).endswith("its file gone.o does not exist")

    @pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
    def test_a_core_file_is_named(self, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
        """In an archive that is named, as in one with the files in it."""
        (tmp_path / "core").write_bytes(pack(CORE.read_bytes()))
        (tmp_path / "x.o").write_bytes(DATA)
        path = self.make(tmp_path, "core", "x.o")
        first, second = members([str(path)])
        message = f"{path}: its file core is a core file: name it alone"
        assert isinstance(first.problem, UsageError) and str(first.problem) == message
        assert second == Member(str(tmp_path / "x.o"))

    def test_it_may_name_itself(self, tmp_path: Path) -> None:
        path = tmp_path / "thin.a"
        path.write_bytes(archives.ar({"thin.a": b"x"}, magic=b"!<thin>\n"))
        assert "no ELF file" in names(path)[0]

    def test_a_chain_of_them_ends(self, tmp_path: Path) -> None:
        """One that is too deep costs only itself, and only on that way."""
        for number in range(8):
            path = tmp_path / f"{number}.a"
            name = f"{number + 1}.a" if number < 7 else "x.o"
            path.write_bytes(archives.ar({name: b""}, magic=b"!<thin>\n"))
        (tmp_path / "x.o").write_bytes(NEST)
        [refused] = members([str(tmp_path / "0.a")])
        assert str(refused.problem).endswith("4.a: more than 4 archives in one another")
        first, second = members([str(tmp_path)])
        assert first.problem is not None and second.path == str(tmp_path / "x.o")

    def test_the_names_are_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """For each folder in a name, the file system is asked."""
        monkeypatch.setattr(ar, "_MAX_THIN_BYTES", 8)
        (tmp_path / "x.o").write_bytes(NEST)
        path = self.make(tmp_path, "x.o", "./././x.o")
        found, refused = members([str(path)])
        assert found.problem is None
        assert refused.problem is not None
        assert refused.problem.message == f"{path} has names of more than 8 bytes"

    def test_inside_of_another_archive_it_has_no_files(self, tmp_path: Path) -> None:
        thin = self.make(tmp_path, "x.o").read_bytes()
        path = tmp_path / "x.whl"
        path.write_bytes(zipped({"thin.a": thin, "x.o": NEST}))
        refused, good = members([str(path)])
        assert "thin archive" in str(refused.problem) and good.problem is None


class TestHostile:
    """A name leads nowhere, a claim is not believed, and what is damaged costs only itself."""

    @pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../etc/passwd"])
    def test_names_are_those_in_the_archive_and_lead_nowhere(
        self, tmp_path: Path, name: str
    ) -> None:
        for file_name, data in (
            ("x.whl", zipped({name: NEST, "etc/passwd": DATA})),
            ("x.deb", archives.deb({name: NEST, "etc/passwd": DATA})),
            ("x.a", archives.ar({name: NEST, "etc/passwd": DATA})),
        ):
            path = tmp_path / file_name
            path.write_bytes(data)
            assert names(path) == [f"{file_name}({name})", f"{file_name}(etc/passwd)"]
            assert contents(path) == [NEST, DATA]

    def test_a_member_without_its_name_costs_only_itself(self, tmp_path: Path) -> None:
        path = tmp_path / "x.a"
        named = [archives.ar_member(b"../../x/", NEST), archives.ar_member(b"last.o/", DATA)]
        path.write_bytes(b"!<arch>\n" + archives.ar_member(b"/5", NEST).join(named))
        first, nameless, last = members([str(path)])
        assert str(nameless) == f"{path}(/5)"
        assert "has no name in the table of names" in str(nameless.problem)
        assert str(nameless.problem).count(str(path)) == 1
        assert (str(first), str(last)) == (f"{path}(../../x)", f"{path}(last.o)")
        assert open_member(first).size_bytes == len(NEST)
        assert open_member(last).size_bytes == len(DATA)

    def test_files_before_a_damage_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "x.a"
        path.write_bytes(archives.ar({"a.o": NEST, "b.o": DATA})[:-10])
        good, cut = members([str(path)])
        assert open_member(good).size_bytes == len(NEST)
        assert str(cut.problem).endswith("is cut short")

    def test_a_header_that_is_cut_short(self, tmp_path: Path) -> None:
        path = tmp_path / "x.a"
        path.write_bytes(archives.ar({"a.o": NEST})[: 8 + 64 + 20])
        [cut] = members([str(path)])
        assert str(cut.problem) == f"{path} is cut short at 0x48"

    def test_control_characters_of_names_are_escaped(self, tmp_path: Path) -> None:
        path = tmp_path / "x.a"
        path.write_bytes(archives.ar({"a\x1b[2Jb": NEST}))
        assert names(path) == ["x.a(a\\x1b[2Jb)"]

    def test_links_in_a_package_are_not_followed(self, tmp_path: Path) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(archives.deb({"a": b"->/bin/sh", "b": b"->c", "c": NEST}))
        assert names(path) == ["x.deb(c)"]

    def test_archives_in_one_another_end(self, tmp_path: Path) -> None:
        data = archives.ar({"nest.o": NEST})
        for _ in range(10):
            data = archives.ar({"x.a": data, "nest.o": NEST})
        path = tmp_path / "x.a"
        path.write_bytes(data)
        result = [*members([str(path)])]
        assert [member.problem is None for member in result].count(False) == 1
        assert isinstance(result[0].problem, LimitExceeded)

    def test_a_bomb_is_not_inflated(self, tmp_path: Path) -> None:
        path = tmp_path / "x.whl"
        path.write_bytes(zipped({"bomb.o": b"\x7fELF" + bytes(30_000_000), "x.o": NEST}))
        bomb, good = members([str(path)])
        assert "--max-inflated-ratio" in str(bomb.problem) and good.problem is None
        limits = FileLimits(inflated_ratio=2000)
        unpacked, _ = members([str(path)], limits=limits)
        assert "ELF identification" in str(unpacked.problem)

    @pytest.mark.parametrize(
        ("method", "why"),
        [
            (zipfile.ZIP_DEFLATED, "does not decompress"),
            (zipfile.ZIP_STORED, f"x.o is stored, with {len(NEST)} bytes and with {len(NEST) - 1}"),
        ],
    )
    def test_a_claim_of_another_size_is_malformed(
        self, tmp_path: Path, method: int, why: str
    ) -> None:
        data = bytearray(zipped({"x.o": NEST}, method))
        directory = data.rfind(b"PK\1\2")
        data[directory + 24 : directory + 28] = struct.pack("<L", len(NEST) - 1)
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        [member] = members([str(path)])
        assert why in str(member.problem)

    def test_contents_without_a_size_are_malformed(self, tmp_path: Path) -> None:
        """They would be passed over."""
        data = bytearray(zipped({"x.o": NEST}, zipfile.ZIP_STORED))
        directory = data.rfind(b"PK\1\2")
        data[directory + 24 : directory + 28] = bytes(4)
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        [member] = members([str(path)])
        assert f"x.o is stored, with {len(NEST)} bytes and with 0" in str(member.problem)

    def test_damaged_contents_that_are_stored(self, tmp_path: Path) -> None:
        data = bytearray(zipped({"x.o": NEST, "y.o": NEST}, zipfile.ZIP_STORED))
        data[data.index(b"\x7fELF") + 0x800] ^= 1
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        damaged, good = members([str(path)])
        assert "CRC" in str(damaged.problem) and good.problem is None
        with pytest.raises(Malformed, match="CRC"):
            open_member(evolve(damaged, problem=None))

    def test_the_checksums_of_many_stored_bytes_are_not_compared(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They may be holes of a terabyte."""
        data = bytearray(zipped({"x.o": NEST, "y.o": NEST}, zipfile.ZIP_STORED))
        for at in (data.find(b"PK\1\2"), data.rfind(b"PK\1\2")):
            data[at + 16] ^= 1
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        monkeypatch.setattr(zip, "_MAX_STORED_BYTES", 2 * len(NEST) - 1)
        first, second = members([str(path)])
        assert "CRC" in str(first.problem) and second.problem is None

    def test_a_wrong_checksum_is_malformed(self, tmp_path: Path) -> None:
        data = bytearray(zipped({"x.o": NEST}))
        data[data.rfind(b"PK\1\2") + 16] ^= 1
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        [member] = members([str(path)])
        assert "CRC" in str(member.problem)

    def test_files_that_overlap(self, tmp_path: Path) -> None:
        data = zipped({"x.o": NEST}, zipfile.ZIP_STORED)
        at = data.rfind(b"PK\1\2")
        end = data.rfind(b"PK\5\6")
        directory = data[at:end] * 5
        tail = bytearray(data[end:])
        struct.pack_into("<HHL", tail, 8, 5, 5, len(directory))
        path = tmp_path / "x.whl"
        path.write_bytes(data[:at] + directory + tail)
        assert "overlap" in str([*members([str(path)])][-1].problem)

    def test_what_cannot_be_unpacked_is_named(self, tmp_path: Path) -> None:
        data = bytearray(zipped({"x.o": NEST, "y.o": DATA}))
        directory = data.find(b"PK\1\2")
        data[directory + 8] |= 1
        other = data.rfind(b"PK\1\2")
        data[other + 10] = 93
        path = tmp_path / "x.whl"
        path.write_bytes(data)
        first, second = members([str(path)])
        assert "is encrypted" in str(first.problem) and "method 93" in str(second.problem)

    @pytest.mark.parametrize(
        "data",
        [
            archives.ar({"a.o": NEST, LONG: DATA}),
            archives.bsd_ar({"a.o": NEST, LONG: DATA}),
            archives.deb({"a.o": NEST, LONG: DATA}),
            archives.deb({"a.o": NEST, LONG: DATA}, ""),
            zipped({"a.o": NEST, LONG: DATA}),
        ],
        ids=["gnu", "bsd", "deb.xz", "deb", "zip"],
    )
    def test_cut_and_changed_archives(self, tmp_path: Path, data: bytes) -> None:
        """Whatever is cut or changed, there is an answer, and no error but dwarfgpu's."""
        path = tmp_path / "x"
        places = {*range(200), *range(0, len(data), max(1, len(data) // 150))}
        for place in sorted(places):
            for damaged in (data[:place], data[:place] + b"\xff" + data[place + 1 :]):
                path.write_bytes(damaged)
                for member in members([str(path)]):
                    with contextlib.suppress(DwarfGpuError):
                        open_member(member)

    @pytest.mark.parametrize(("ending", "program"), [("bz2", "bzip2"), ("lzma", "lzma")])
    def test_a_package_of_another_compression_is_named(
        self, tmp_path: Path, ending: str, program: str
    ) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(
            b"!<arch>\n" + archives.ar_member(b"debian-binary", b"2.0\n")
            + archives.ar_member(f"data.tar.{ending}".encode(), bytes(10_000))
        )  # fmt: skip
        [member] = members([str(path)])
        assert f"{path}: data.tar.{ending} is compressed by {program}: " in str(member.problem)

    @pytest.mark.parametrize("continued", [0, 2])
    def test_a_sparse_file_costs_only_itself(self, tmp_path: Path, continued: int) -> None:
        """Its name is not that of the next one, and the headers that continue its own are no
        files."""
        tar = bytearray(archives.tar({LONG: NEST, "last.o": DATA}))
        at = tar.index(NEST) - 512
        tar[at + 156], tar[at + 482] = ord("S"), continued > 0
        tar[at + 148 : at + 156] = b" " * 8
        tar[at + 148 : at + 156] = b"%06o\0 " % sum(tar[at : at + 512])
        blocks = [bytes(504) + bytes([number < continued]) + bytes(7) for number in (1, 2)]
        tar[at + 512 : at + 512] = b"".join(blocks[:continued])
        self.check_sparse(tmp_path, bytes(tar), LONG)

    def test_a_sparse_file_of_pax_costs_only_itself(self, tmp_path: Path) -> None:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
            for name, data in (("x.o", NEST), ("last.o", DATA)):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                if name == "x.o":
                    entry.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.name": LONG}
                made.addfile(entry, io.BytesIO(data))
        self.check_sparse(tmp_path, out.getvalue(), LONG)

    def check_sparse(self, tmp_path: Path, tar: bytes, name: str) -> None:
        path = tmp_path / "x.deb"
        path.write_bytes(
            b"!<arch>\n" + archives.ar_member(b"debian-binary", b"2.0\n")
            + archives.ar_member(b"data.tar", tar)
        )  # fmt: skip
        sparse, last = members([str(path)])
        assert str(sparse.problem) == f"{path}: {name} is a sparse file"
        assert str(last) == f"{path}(last.o)" and open_member(last).size_bytes == len(DATA)

    def test_a_tar_with_a_negative_size_is_malformed(self, tmp_path: Path) -> None:
        header = bytearray(archives.tar({"x": b""})[:512])
        header[124:136] = b"-" + b"7" * 10 + b"\0"
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        path = tmp_path / "x.deb"
        path.write_bytes(
            b"!<arch>\n" + archives.ar_member(b"debian-binary", b"2.0\n")
            + archives.ar_member(b"data.tar", bytes(header))
        )  # fmt: skip
        [member] = members([str(path)])
        assert "no number" in str(member.problem)


class TestOpenContainers:
    """The containers of the last member stay open, as long as the file is the same."""

    def test_one_directory_is_read_for_many_members(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import dwarfgpu.objfile.collection.debian_package as module

        path = tmp_path / "x.deb"
        path.write_bytes(archives.deb({f"{number}.o": NEST for number in range(20)}))
        result = [*members([str(path)])]
        reads = []
        made = module.tar_files
        monkeypatch.setattr(module, "tar_files", lambda *words: reads.append(1) or made(*words))
        for member in result:
            open_member(member)
        assert len(reads) == 1

    def test_a_file_that_changes_is_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "x.a"
        path.write_bytes(archives.ar({"a.o": NEST, "b.o": NEST}))
        first, second = members([str(path)])
        assert open_member(second).size_bytes == len(NEST)
        path.write_bytes(archives.ar({"a.o": NEST, "b.o": DATA}))
        os.utime(path, ns=(1, 1))
        assert open_member(second).size_bytes == len(DATA)
        path.write_bytes(archives.ar({"a.o": NEST}))
        with pytest.raises(UsageError, match="has changed"):
            open_member(second)
        assert open_member(first).size_bytes == len(NEST)
        path.unlink()
        with pytest.raises(UsageError, match="cannot be read"):
            open_member(first)


@pytest.mark.parametrize("name", [b"//", b"/", b"__.SYMDEF"])
def test_an_archive_of_nothing_but_tables(name: bytes) -> None:
    """They are no files, whose number is bounded."""
    data = b"!<arch>\n" + ar_member(name, b"") * 1_002
    with pytest.raises(LimitExceeded, match="made has more than 1000 tables of names and symbols"):
        list(ar_files(data, "made"))
