#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Save the stacks of fixtures/aarch64 anew, and what GDB says of them, in fixtures/states.
# Needs qemu-aarch64 (QEMU), gdb-multiarch (GDB) and Python (PYTHON) with what dwarfgpu needs.
set -eu

QEMU=${QEMU:-qemu-aarch64}
GDB=${GDB:-gdb-multiarch}
PYTHON=${PYTHON:-.venv/bin/python}
PORT=${PORT:-51234}

cd "$(dirname "$0")/.."
export LC_ALL=C PYTHONPATH=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# inside PROGRAM [CORE] -- COMMAND...: run commands of GDB
inside() {
  local files=() options=()
  while test "$1" != --; do
    files+=("$1")
    shift
  done
  shift
  for each in 'set architecture aarch64' 'source dwarfgpu/gdb/source.py' \
    'source tools/save_stack.py' "$@"; do
    options+=(-ex "$each")
  done
  timeout 60 "$GDB" -q -nx -batch "${options[@]}" "${files[@]}" >"$work/log" 2>&1
}

# stack PROGRAM NAME COMMAND...: run to a stop, and save it
stack() {
  local program=fixtures/aarch64/stacks.$1 state=fixtures/states/stacks.$1.$2 told=fixtures/states/gdb/stacks.$1.$2
  # Signal frames with scalable vectors confuse GDB.
  timeout 60 "$QEMU" -cpu max,sve=off -g "$PORT" "$program" &
  sleep 1
  local save=("dwarfgpu save-state $state.json" "save-stack $told.json")
  case $1 in *.pac) save=("dwarfgpu save-state $state.json -stack 8192") ;; esac
  inside "$program" -- "target remote :$PORT" 'handle SIGSEGV nostop noprint pass' \
    "${@:3}" "${save[@]}" kill
  wait
  case $1 in *.pac)
    # QEMU does not tell GDB which bits sign an address; a core file does.
    "$PYTHON" tools/state_core.py "$state.json" "$work/core"
    save=("save-stack $told.json")
    case $1 in clang*) save+=("dwarfgpu save-state $state.json") ;; esac
    inside "$program" "$work/core" -- "${save[@]}"
    ;;
  esac
  echo "$state.json"
}

for build in gcc.O0 gcc.O2 gcc.O2.pac clang.O0 clang.O2 clang.O2.pac; do
  stack "$build" signal 'break handler' continue 'break leaf' continue
  stack "$build" prologue 'break *held' continue continue 'stepi 3'
done
for build in gcc.O2 clang.O2; do
  stack "$build" tail 'break tail2' continue 'break leaf' continue
  stack "$build" step 'break many' continue 'stepi 150'
done
