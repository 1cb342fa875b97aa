#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Let the programs of fixtures/core crash, and keep what Linux and QEMU write of them, made smaller.
# Needs Linux on x86-64 with /proc/sys/kernel/core_pattern "core", and qemu-aarch64.
# Addresses, process numbers and registers are other ones each time.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
folder=/opt/crash # which the core files name; the environment is not in them
mkdir -p "$folder"
cd "$folder"
ulimit -c unlimited

# keep PROGRAM CORE
keep() {
  PYTHONPATH=$here "$here/.venv/bin/python" "$here/tools/trim_core.py" "$2" "$here/fixtures/core/$1.core"
  rm -f core ./*.core "$1"
}

for opt in 0 2; do
  cp "$here/fixtures/core/crash.x86_64.O$opt" "$here/fixtures/core/crash.aarch64.O$opt" .
  env -i setarch -R "./crash.x86_64.O$opt" one || true
  keep "crash.x86_64.O$opt" core
  env -i "$(command -v qemu-aarch64)" "./crash.aarch64.O$opt" one || true
  keep "crash.aarch64.O$opt" qemu_*.core
done

for program in shapes.x86_64.O0 values.x86_64.O0 lists.x86_64.O0 lists.x86_64.O2 removed.x86_64.O2; do
  cp "$here/fixtures/core/$program" .
  env -i setarch -R "./$program" || true
  keep "$program" core
done

# Containers; of the core file the program's own memory and the stack.
for library in libstdcxx libcxx; do
  program=containers.x86_64.$library
  cp "$here/fixtures/core/$program" .
  env -i setarch -R "./$program" || true
  PYTHONPATH=$here "$here/.venv/bin/python" "$here/tools/trim_core.py" \
    core "$here/fixtures/core/$program.core" "$program"
  rm -f core "$program"
done
