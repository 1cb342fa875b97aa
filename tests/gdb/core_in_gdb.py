"""What GDB knows of a core file, as JSON: for every thread and frame its variables as text.

Sourced by `gdb -batch PROGRAM CORE`; imports nothing but the standard library.
"""

import json

import gdb


def variables(frame):
    """Name, line and text of each local and argument of the function, inner blocks first."""
    result = []
    frame.select()  # GDB finds the bounds of arrays in the selected frame
    try:
        block = frame.block()
    except RuntimeError:
        return result
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            try:
                value = symbol.value(frame)
                text = "<optimized out>" if value.is_optimized_out else None
                text = text or value.format_string(raw=True, symbols=False)
            except gdb.error as error:
                text = f"<error: {error}>"
            if symbol.addr_class not in (gdb.SYMBOL_LOC_STATIC, gdb.SYMBOL_LOC_LABEL):
                result.append([symbol.name, symbol.line, text])
        if block.function is not None:
            break
        block = block.superblock
    return result


def frames():
    result = []
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.type() != gdb.TAILCALL_FRAME:
            sal = frame.find_sal()
            result.append(
                {
                    "pc": frame.pc(),
                    "name": frame.name(),
                    "line": sal.line if sal.symtab is not None else None,
                    "file": sal.symtab.filename if sal.symtab is not None else None,
                    "variables": variables(frame),
                    "kind": frame.type(),
                }
            )
        frame = frame.older()
    return result


threads = []
for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
    thread.switch()
    threads.append({"number": thread.num, "lwp": thread.ptid[1], "frames": frames()})
print("@@" + json.dumps(threads))
