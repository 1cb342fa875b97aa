# ruff: noqa: UP006, UP031, UP035, UP045
"""`dwarfgpu save-state`: the program stopped in GDB or ROCgdb, as a state file of dwarfgpu.

This file works alone: `source save_state.py` in any GDB with Python 3.6 or newer.

Law: it needs only GDB's own Python, and GDB stays in its thread, frame and lane.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
import struct
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import gdb

SCHEMA = "dwarfgpu-state-1"
STACK_BYTES = 4096
MAX_STACK_BYTES = 1 << 20
RED_ZONE_BYTES = 128
CALLER_BYTES = 256
MAX_SECTION_BYTES = 1 << 18
MAX_OBJECT_BYTES = 1 << 16
MAX_LANE_BYTES = 1 << 16
STEP_BYTES = 4096
"""How many bytes of memory to read at once: GDB has a limit to the size of values."""
ARCHITECTURES = {"i386:x86-64": "x86_64", "i386": "i386", "aarch64": "aarch64"}
GPU = "amdgcn:"
REGISTERS = {
    "x86_64": r"r(?:[a-d]x|[sd]i|[bsi]p|[89]|1[0-5])|eflags|[c-gs]s|[fg]s_base|xmm[0-9]|xmm1[0-5]"
    r"|st[0-7]|mxcsr|fctrl|fstat",
    "i386": r"e(?:[a-d]x|[sd]i|[bsi]p)|eflags|[c-gs]s|xmm[0-7]|st[0-7]|mxcsr|fctrl|fstat",
    "aarch64": r"x[0-9]+|sp|pc|v[0-9]+|cpsr|fpsr|fpcr|tpidr|pauth_[cd]mask",
    "": r"[sva][0-9]+|exec(?:_hi)?|vcc(?:_hi)?|m0|status|mode|trapsts|flat_scratch|scratch_base"
    r"|xnack_mask|state_priv|trap_ctrl|excp_flag_(?:priv|user)|ttmp(?:[4-9]|1[013])",
}
"""The registers of a state, by GDB's names; last those of GPUs."""
UNLISTED = ("fs_base", "gs_base", "tpidr", *("xmm%d" % number for number in range(16)))
"""Registers that GDB may have and not list."""
RENAMED = {"tpidr": "tpidr_el0"}
"""GDB's names that differ from those of a state."""
X87 = re.compile(r"st[0-9]")
X87_BYTES = 10
"""The size of a register that GDB shows with padding."""
WRITABLE = re.compile(r"\.(?:data|bss|tdata|got|init_array|fini_array)\b.*")
"""Names of sections that programs write, or the dynamic linker."""
SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (\S+)(?: in (.+))?$", re.MULTILINE)
OPEN = re.compile(r"`(.*)', file type")
"""How `info files` names the program and the core file."""
PART = re.compile(r"(file|memory)://(.*)#offset=(\w+)&size=(\w+)")
"""How ROCgdb names code objects inside of files and of memory."""
DEVICES = ("/dev/", "/proc/")
"""Folders whose files have no temporary files beside them."""
STREAM = re.compile(r"/dev/(stdout|stderr)|(?:/dev|/proc/self)/fd/([0-9]{1,9})")
STREAMS = {"stdout": 1, "stderr": 2}
MEMORY_RANGE = re.compile(r"(?:(\w+)#)?(\w+),(\w+)")
POINTERS = (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
USAGE = (
    "Usage: dwarfgpu save-state FILE [-lanes all] [-memory [SPACE#]ADDRESS,LENGTH]... [-stack N]"
)


class SaveRequest(NamedTuple):
    """The parsed arguments of the command."""

    path: str
    all_lanes: bool
    memory: List[Tuple[str, int, int]]
    """Space (empty: the default one), address, bytes."""
    stack_bytes: Optional[int]


class Section(NamedTuple):
    """A section where GDB has it."""

    begin: int
    end: int
    name: str
    path: str


class Memory:
    """The memory read, each byte once."""

    def __init__(self) -> None:
        self.runs = {}  # type: Dict[Tuple[str, Optional[int]], Dict[int, bytes]]
        """Keyed by space and lane."""

    def add(
        self, address: int, size_bytes: int, space: str = "", lane: Optional[int] = None
    ) -> int:
        """Add as many bytes from an address on as can be read; return how many."""
        taken_bytes = 0
        pages = self.runs.setdefault((space, lane), {})
        while taken_bytes < size_bytes:
            begin = address + taken_bytes
            end = min(begin - begin % STEP_BYTES + STEP_BYTES, address + size_bytes)
            data = read_some(space, begin, end - begin)
            for index in range(len(data)):
                pages[begin + index] = data[index : index + 1]
            taken_bytes += len(data)
            if len(data) < end - begin:
                break
        return taken_bytes

    def has(self, address: int) -> bool:
        """Return whether a byte of the default space was added."""
        return address in self.runs.get(("", None), ())

    def entries(self) -> Iterator[Dict[str, object]]:
        """Yield the memory as a state has it: neighbours together."""
        for (space, lane), chunks in sorted(self.runs.items(), key=str):
            first = None  # type: Optional[int]
            data = []  # type: List[bytes]
            for address in [*sorted(chunks), None]:
                if first is not None and address != first + len(data):
                    entry = {"address": hex(first), "bytes": b"".join(data).hex()}
                    if space:
                        entry["space"] = space
                    if lane is not None:
                        entry["lane"] = lane  # type: ignore[assignment]
                    yield dict(entry)
                    first, data = None, []
                if address is not None:
                    first = address if first is None else first
                    data.append(chunks[address])


def read_some(space: str, address: int, size_bytes: int) -> bytes:
    """Return as many bytes as can be read, found by halves."""
    while size_bytes > 0:
        try:
            if not space:
                inferior = gdb.selected_inferior()
                return bytes(inferior.read_memory(address, size_bytes))
            text = "*(unsigned char (*)[%d]) (%s#%#x)" % (size_bytes, space, address)
            value = gdb.parse_and_eval(text)
            return value_bytes(value, "little")
        except (gdb.error, OverflowError, ValueError):
            size_bytes //= 2
    return b""


def value_bytes(value: Any, endian: Any) -> bytes:
    """Return the bytes of a register or array; `ValueError` if GDB does not provide them."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_UNION:
        return value_bytes(value[kind.fields()[-1]], endian)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        first, last = kind.range()
        return b"".join(value_bytes(value[index], endian) for index in range(first, last + 1))
    text = value.format_string(format="x", raw=True)
    if not text.startswith("0x"):
        raise ValueError("GDB shows it as " + text)
    data: bytes = int(text, 16).to_bytes(kind.sizeof, endian)
    return data


def state_name(frame: Any) -> str:
    """Return the name of the architecture in a state."""
    name = str(frame.architecture().name())
    if name.startswith(GPU):
        return name[len(GPU) :]
    if name not in ARCHITECTURES:
        raise gdb.GdbError("save-state: dwarfgpu has no architecture " + name)
    return ARCHITECTURES[name]


def registers(frame: Any, architecture: str) -> Dict[str, object]:
    """Return every register that GDB can read and that a state can have."""
    pattern = re.compile(REGISTERS.get(architecture, REGISTERS[""]))
    record = {}  # type: Dict[str, object]
    listed = [register.name for register in frame.architecture().registers()]
    for name in [*listed, *(name_ for name_ in UNLISTED if name_ not in listed)]:
        if not pattern.fullmatch(name):
            continue
        try:
            value = frame.read_register(name)
            if not value.is_optimized_out:
                record[RENAMED.get(name, name)] = register(name, value)
        except (gdb.error, ValueError, OverflowError):
            continue
    return record


def register(name: str, value: Any) -> object:
    """Return the contents as in a state: an integer, a list of lanes, or bytes."""
    kind = value.type.strip_typedefs()
    is_lanes = kind.code == gdb.TYPE_CODE_ARRAY and re.fullmatch(r"[va][0-9]+", name) is not None
    if is_lanes and not name_is_wide(kind):
        first, last = kind.range()
        lanes = [value[index] for index in range(first, last + 1)]
        return [int.from_bytes(value_bytes(lane, "little"), "little") for lane in lanes]
    data = value_bytes(value, "little")
    if X87.fullmatch(name):
        data = data[:X87_BYTES]
    if len(data) > 8:
        return {"bytes": data.hex()}
    return hex(int.from_bytes(data, "little"))


def name_is_wide(kind: Any) -> bool:
    """Return whether an array consists of parts of one number (AArch64), not of lanes."""
    return bool(kind.sizeof <= 16)


def exact(read: Callable[[], Optional[str]]) -> str:
    """Return a text with paths, with bytes that are no UTF-8 as `os.fsdecode` has them.

    GDB's Python decodes texts by the host charset, which is ASCII in the locale C.
    """
    try:
        return read() or ""
    except UnicodeDecodeError as error:
        return os.fsdecode(error.object)


def path_of(file: Any) -> str:
    """Return the path of a `gdb.Objfile` or a `gdb.Progspace`; empty if it has none."""
    return exact(lambda: file.filename)


def sections() -> List[Section]:
    """Return the sections of all loaded files."""
    text = exact(lambda: gdb.execute("info files", False, True))
    program = path_of(gdb.current_progspace())
    return [
        Section(int(begin, 16), int(end, 16), name, (path or program).replace("target:", "", 1))
        for begin, end, name, path in SECTION.findall(text)
    ]


def file_sections(data: bytes) -> Dict[str, Tuple[int, int]]:
    """Return address and size of the sections of an ELF file, by name; empty for other files."""
    if data[:4] != b"\x7fELF" or len(data) < 64:
        return {}
    order, wide = (">" if data[5] == 2 else "<"), data[4] == 2
    offset = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count, names = struct.unpack_from(order + "HHH", data, 58 if wide else 46)
    form = struct.Struct(order + ("IIQQQQ" if wide else "IIIIII"))
    if offset + size * count > len(data) or names >= count:
        return {}
    rows = [form.unpack_from(data, offset + size * index) for index in range(count)]
    texts = rows[names][4]
    record = {}
    for row in rows:
        end = data.find(b"\0", texts + row[0])
        record[data[texts + row[0] : end].decode("utf-8", "replace")] = (row[3], row[5])
    return record


def load_address(ranges: Dict[str, Tuple[int, int]], loaded: List[Section]) -> Optional[int]:
    """Return the load bias of a file; None if its sections do not fit."""
    for section in loaded:
        address, size_bytes = ranges.get(section.name, (0, 0))
        if section.name == ".text" and size_bytes == section.end - section.begin:
            return section.begin - address
    return None


def code_objects(loaded: List[Section], state: str) -> Iterator[Dict[str, object]]:
    """Yield the loaded code objects; one inside of another file or of memory is written beside the
    state."""
    state = os.path.realpath(state) if os.path.islink(state) else os.path.abspath(state)
    by_path = {}  # type: Dict[str, List[Section]]
    for section in loaded:
        by_path.setdefault(section.path, []).append(section)
    for number, (path, sections) in enumerate(sorted(by_path.items())):
        data = contents_of(path)
        bias = None if data is None else load_address(file_sections(data), sections)
        if data is None or bias is None:
            continue
        require_build(path, data, sections)
        name = os.path.abspath(path)
        if PART.fullmatch(path):
            digits = hashlib.sha256(data).hexdigest()[:16]
            name = "%s.%d.%s.co" % (os.path.splitext(state)[0], number, digits)
            write_file(name, data)
        relative = os.path.relpath(name, os.path.dirname(state))
        yield {
            "path": name if relative.startswith("..") else relative,
            "load_address": hex(bias),
            "sha256": hashlib.sha256(data).hexdigest(),
        }


def require_build(path: str, data: bytes, loaded: List[Section]) -> None:
    """Raise `gdb.GdbError` for a file that was built anew since it was loaded."""
    for section in loaded:
        if section.name == ".note.gnu.build-id":
            size_bytes = section.end - section.begin
            note = read_some("", section.begin, size_bytes)
            if len(note) == size_bytes and note not in data:
                raise gdb.GdbError(
                    "save-state: %s is not the file that GDB has: its build ID differs" % path
                )


def inputs() -> Iterator[str]:
    """Yield the paths of the files that GDB has open: programs, libraries, debug files, a core."""
    for objfile in gdb.objfiles():
        yield path_of(objfile)
    yield from OPEN.findall(exact(lambda: gdb.execute("info files", False, True)))


def write_file(path: str, data: bytes) -> None:
    """Give a file these contents, or leave it as it is: they are written beside and renamed.

    `gdb.GdbError` for a file that GDB has open.
    """
    if os.path.isfile(path):
        for name in inputs():
            if os.path.isfile(name) and os.path.samefile(name, path):
                raise gdb.GdbError("save-state: %s is an input: give another file" % path)
    absolute = os.path.abspath(path)
    is_other = os.path.exists(path) and not os.path.isfile(path)  # a device, or a pipe
    if is_other or absolute.startswith(DEVICES) and not absolute.startswith("/dev/shm/"):
        write_through(path, data)
        return
    target = os.path.realpath(path)
    if os.path.islink(target):  # links in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    # A name that others cannot know, and "x": a link that they laid there would be followed.
    beside = os.path.join(os.path.dirname(target), ".dwarfgpu-%s.tmp" % os.urandom(8).hex())
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            status = os.stat(target)
            for owner, group in ((status.st_uid, -1), (-1, status.st_gid)):
                with contextlib.suppress(OSError):  # also of a user namespace without the user
                    os.chown(beside, owner, group)
            os.chmod(beside, status.st_mode & 0o7777)
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def write_through(path: str, data: bytes) -> None:
    """Write to a device, a stream of GDB itself, or a pipe; `gdb.GdbError` for one without a
    reader, which would wait."""
    stream = STREAM.fullmatch(os.path.abspath(path))
    if stream is not None:  # opened anew, a file would be written from its beginning
        gdb.flush()
        descriptor = os.dup(int(stream.group(2) or STREAMS[stream.group(1)]))
    else:
        is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
        waits = os.O_NONBLOCK if is_pipe else 0
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | waits)
        except OSError as error:
            if is_pipe and error.errno == errno.ENXIO:
                raise gdb.GdbError("save-state: %s: no program reads the pipe" % path) from None
            raise
        os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as file:
        file.write(data)


def contents_of(path: str) -> Optional[bytes]:
    """Return the contents of a file that GDB has loaded; None if unreadable, like the kernel's."""
    part = PART.fullmatch(path)
    try:
        if part is None:
            with open(path, "rb") as file:
                return file.read()
        offset, size_bytes = int(part.group(3), 0), int(part.group(4), 0)
        if part.group(1) == "memory":
            return read_some("", offset, size_bytes)
        with open(part.group(2), "rb") as file:
            file.seek(offset)
            return file.read(size_bytes)
    except (OSError, ValueError):
        return None


def older_frames(frame: Any) -> Iterator[Any]:
    """Yield the frame and its callers."""
    while frame is not None:
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def find_frames_again() -> None:
    """Let GDB search for all its frames again: it keeps one without a caller where Ctrl-C ended the
    search for it."""
    selected = gdb.selected_frame()
    gdb.invalidate_cached_frames()
    selected.select()


def save_stacks(memory: Memory, newest: Any, size_bytes: Optional[int]) -> None:
    """Save the stacks of a thread as far as GDB finds frames: a signal handler may have another one
    than what it interrupted. Warn of frames that are not saved."""
    pointers = []  # type: List[int]
    for frame in older_frames(newest):
        try:
            pointers.append(int(frame.read_register("sp")) % (1 << 64))
        except gdb.error:
            break
    most_bytes = MAX_STACK_BYTES if size_bytes is None else size_bytes
    left_bytes, left_of_stack, below_bytes = MAX_STACK_BYTES, most_bytes, RED_ZONE_BYTES
    for index, pointer in enumerate(pointers):
        caller = pointers[index + 1] if index + 1 < len(pointers) else -1
        if left_bytes <= 0:
            break
        left_bytes -= memory.add(pointer - below_bytes, below_bytes)
        is_last = not pointer <= caller <= pointer + MAX_STACK_BYTES
        frame_bytes = caller - pointer
        if is_last:  # on its stack
            frame_bytes = STACK_BYTES if size_bytes is None else size_bytes
        wanted_bytes = min(frame_bytes, left_of_stack, left_bytes)
        taken_bytes = memory.add(pointer, wanted_bytes)
        left_bytes -= taken_bytes
        left_of_stack = most_bytes if is_last else left_of_stack - taken_bytes
        # What a frame saved of its caller's registers is below the stack of the caller.
        below_bytes = CALLER_BYTES if is_last or taken_bytes < wanted_bytes else 0
    unsaved = [pointer for pointer in pointers if not memory.has(pointer)]
    if unsaved:
        gdb.write(
            "warning: save-state: %d of %d frames are not saved, the first one with its stack at "
            "%#x; -memory ADDRESS,LENGTH adds what can be read\n"
            % (len(unsaved), len(pointers), unsaved[0]),
            gdb.STDERR,
        )


def save_lanes(memory: Memory, every: bool) -> None:
    """Save the private memory of the selected lane, or of all lanes."""
    before, count = (gdb.convenience_variable(name) for name in ("_lane", "_lane_count"))
    if before is None or not count:
        return
    before = int(before)
    try:
        for lane in range(int(count)) if every else [before]:
            gdb.execute("lane %d" % lane, False, True)
            memory.add(0, MAX_LANE_BYTES, "private_lane", lane)
    finally:
        gdb.execute("lane %d" % before, False, True)
    memory.add(0, MAX_LANE_BYTES, "local")


def save_variables(memory: Memory, newest: Any) -> None:
    """Save the contents of the variables of all frames, and the targets of their pointers."""
    selected = gdb.selected_frame()
    try:
        # GDB calls the program's malloc for the address of an array that is not in memory.
        calls = "on" if gdb.parameter("may-call-functions") else "off"
        gdb.execute("set may-call-functions off", False, True)
    except RuntimeError:  # a GDB without the setting
        calls = ""
    try:
        for frame in older_frames(newest):
            frame.select()  # GDB finds the lengths of arrays in the selected frame
            for symbol, block in symbols(frame):
                try:
                    save_value(memory, frame.read_var(symbol, block), 2)
                except (gdb.error, ValueError, RuntimeError):
                    continue
    finally:
        if calls:
            gdb.execute("set may-call-functions " + calls, False, True)
        selected.select()


def symbols(frame: Any) -> Iterator[Tuple[Any, Any]]:
    """Yield the variables visible in a frame, including those of its file."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block is not None:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol, block
        block = block.superblock


def save_value(memory: Memory, value: Any, depth: int) -> None:
    """Save an object, and the targets of the pointers in it."""
    if value.address is not None and value.type.sizeof:
        space, address = space_and_address(value.address)
        memory.add(address, min(value.type.sizeof, MAX_OBJECT_BYTES), space)
    kind = value.type.strip_typedefs()
    if depth and kind.code in POINTERS:
        target = kind.target().strip_typedefs()
        if target.code == gdb.TYPE_CODE_FUNC:
            return
        if kind.code != gdb.TYPE_CODE_PTR:
            save_value(memory, value.referenced_value(), depth - 1)
            return
        space, address = space_and_address(value)
        if target.sizeof is None:  # each object determines its size
            save_value(memory, value.dereference(), depth - 1)
            return
        size_bytes = max(target.sizeof, 256 if target.sizeof == 1 else 1)
        memory.add(address, min(size_bytes, MAX_OBJECT_BYTES), space)
        if target.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, *POINTERS):
            save_value(memory, value.dereference(), depth - 1)
    elif depth and kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        # Out of memory, GDB 13 ends at a reference in bits that no piece describes, whatever is
        # asked of it, its address too.
        is_followed = value.address is not None
        for field in kind.fields():
            is_reference = field.type.strip_typedefs().code in REFERENCES
            if hasattr(field, "bitpos") and (is_followed or not is_reference):
                try:
                    save_value(memory, value[field], depth - 1)
                except (gdb.error, ValueError):
                    continue


def space_and_address(pointer: Any) -> Tuple[str, int]:
    """Return the address space, empty for the default one, and the address of a pointer."""
    text = pointer.format_string(format="x", raw=True)
    space, mark, address = text.rpartition("#")
    return (space if mark else "", int(address, 16))


def parse_request(argument: str) -> SaveRequest:
    """Parse the arguments; `gdb.GdbError` if they are invalid."""
    words = gdb.string_to_argv(argument)
    paths = []  # type: List[str]
    memory = []  # type: List[Tuple[str, int, int]]
    all_lanes, stack_bytes = False, None
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            paths.append(word)
            continue
        operand = words.pop(0) if words else ""
        match = MEMORY_RANGE.fullmatch(operand)
        try:
            if word.lstrip("-") == "lanes" and operand == "all":
                all_lanes = True
            elif word.lstrip("-") == "memory" and match is not None:
                space = match.group(1) or ""
                memory.append((space, int(match.group(2), 0), int(match.group(3), 0)))
            elif word.lstrip("-") == "stack":
                stack_bytes = int(operand, 0)
            else:
                raise ValueError
        except ValueError:
            raise gdb.GdbError("save-state: not %s %s. %s" % (word, operand, USAGE)) from None
    if len(paths) != 1:
        raise gdb.GdbError("save-state: one file is needed. " + USAGE)
    return SaveRequest(os.path.expanduser(paths[0]), all_lanes, memory, stack_bytes)


def state(request: SaveRequest) -> Dict[str, object]:
    """Return the selected thread as a state."""
    try:
        thread = gdb.selected_thread()
    except SystemError:  # GDB 13 has no Python object of it
        raise gdb.GdbError("save-state: the selected thread has exited") from None
    if thread is None:
        raise gdb.GdbError("save-state: the program is not being run")
    newest = gdb.newest_frame()
    architecture = state_name(newest)
    is_gpu = architecture not in ARCHITECTURES.values()
    loaded = sections()
    memory = Memory()
    wave = {"registers": registers(newest, architecture)}  # type: Dict[str, object]
    if is_gpu:
        wave["pc"] = hex(newest.pc())
        save_lanes(memory, request.all_lanes)
    else:
        save_stacks(memory, newest, request.stack_bytes)
    for section in loaded:
        if WRITABLE.fullmatch(section.name) and section.end - section.begin <= MAX_SECTION_BYTES:
            memory.add(section.begin, section.end - section.begin)
    save_variables(memory, newest)
    for space, address, size_bytes in request.memory:
        if memory.add(address, size_bytes, space, lane_of(space)) < size_bytes:
            raise gdb.GdbError("save-state: cannot read all of %s#%#x" % (space, address))
    entries = list(memory.entries())
    wave["memory"] = [entry for entry in entries if "space" in entry]
    document = {"schema": SCHEMA, "architecture": architecture}  # type: Dict[str, object]
    exec_bytes = newest.read_register("exec").type.sizeof if is_gpu else 0
    if exec_bytes:
        document["wave_size"] = 8 * exec_bytes
    document["code_objects"] = list(code_objects(loaded, request.path))
    document["memory"] = [entry for entry in entries if "space" not in entry]
    document["waves"] = [wave]
    return document


def lane_of(space: str) -> Optional[int]:
    """Return the selected lane, for a space that each lane has separately."""
    lane = gdb.convenience_variable("_lane") if space == "private_lane" else None
    return None if lane is None else int(lane)


class SaveState(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Save the selected thread or wave as a state file of dwarfgpu, for another machine.

    Usage: dwarfgpu save-state FILE [-lanes all] [-memory [SPACE#]ADDRESS,LENGTH]... [-stack N]

    It contains registers, the stack, the memory of all variables in scope and the loaded files;
    for a GPU's wave also the private memory of the selected lane, with -lanes all that of every
    lane. -memory adds further ranges, -stack sets the number of bytes of each stack."""

    def __init__(self) -> None:
        super().__init__("dwarfgpu save-state", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Save a state; GDB calls this."""
        request = parse_request(argument)
        try:
            text = json.dumps(state(request), indent=1)
            write_file(request.path, (text + "\n").encode("utf-8"))
        except OSError as error:
            raise gdb.GdbError("save-state: %s: %s" % (request.path, error.strerror)) from None
        except gdb.GdbError:
            raise
        except gdb.error as error:
            raise gdb.GdbError("save-state: " + " ".join(str(error).split())) from None
        except KeyboardInterrupt:
            find_frames_again()
            raise


class Prefix(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Commands of dwarfgpu."""

    def __init__(self) -> None:
        super().__init__("dwarfgpu", gdb.COMMAND_DATA, prefix=True)


def install() -> None:
    """Add the command, and the prefix where dwarfgpu itself is not loaded."""
    try:
        gdb.execute("help dwarfgpu", False, True)
    except gdb.error:
        Prefix()
    SaveState()


if __name__ == "__main__":
    install()
