#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rebuild every binary under fixtures/, in place and byte for byte the same.
# Needs clang 19, lld 19, llvm-dwp 19, gcc, gcc for AArch64, gfortran, gnatmake, rustc, dwz and
# gdb 13; CLANG, LLD, DWP, GCC, GXX, AARCH64_GCC, FORTRAN, GNATMAKE, RUSTC, DWZ and GDB name others.
set -eu

CLANG=${CLANG:-clang-19}
LLD=${LLD:-ld.lld-19}
DWP=${DWP:-llvm-dwp-19}
GCC=${GCC:-gcc}
GXX=${GXX:-g++}
AARCH64_GCC=${AARCH64_GCC:-aarch64-linux-gnu-gcc}
DWZ=${DWZ:-dwz}
GDB=${GDB:-gdb}
FORTRAN=${FORTRAN:-gfortran}
GNATMAKE=${GNATMAKE:-gnatmake}
RUSTC=${RUSTC:-rustc}

export LC_ALL=C SOURCE_DATE_EPOCH=0
cd "$(dirname "$0")/../fixtures"
here=$(pwd)

# No absolute path may get into a file, and no section may be compressed.
paths=(-ffile-prefix-map="$here=." -fdebug-compilation-dir=. -gz=none
  -ffile-prefix-map="$("$CLANG" -print-resource-dir)=clang")

# hip NAME GFX OPT DWARF [TAG FLAG...]
hip() {
  local name=$1 gfx=$2 opt=$3 dwarf=$4 tag=${5:-}
  shift $(($# < 5 ? $# : 5))
  "$CLANG" -x hip "hip/$name.hip" --offload-arch="$gfx" \
    --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc \
    -fuse-cuid=none "${paths[@]}" -g "-gdwarf-$dwarf" "-O$opt" "$@" \
    -o "hip/$name.$gfx.O$opt.v$dwarf${tag:+.$tag}.co"
}

# kernels NAME GFX OPT: to be run, and compared with what they should leave
kernels() {
  "$CLANG" -x hip "run/$1.hip" --offload-arch="$2" \
    --cuda-device-only --no-gpu-bundle-output -nogpulib -nogpuinc \
    -fuse-cuid=none "${paths[@]}" -g -gdwarf-5 "-O$3" -ffp-contract=off -o "run/$1.$2.O$3.v5.co"
}

# opencl NAME GFX OPT DWARF
opencl() {
  "$CLANG" -x cl "opencl/$1.cl" -cl-std=CL2.0 -target amdgcn-amd-amdhsa \
    -mcpu="$2" -nogpulib "${paths[@]}" -g "-gdwarf-$4" "-O$3" \
    -o "opencl/$1.$2.O$3.v$4.co"
}

# arguments GFX OPT CODE-OBJECT-VERSION NAME FLAG...
arguments() {
  "$CLANG" -x cl opencl/args.cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu="$1" -nogpulib \
    "${paths[@]}" -g "-O$2" "-mcode-object-version=$3" "${@:5}" -o "opencl/args.$4.O$2.v5.co" \
    2> >(grep -v 'code object v6 is still in development' >&2)
}

# assemble SOURCE GFX OUTPUT [SYMBOL=VALUE...]
assemble() {
  local object symbols=("${@:4}")
  object=$(mktemp)
  "$CLANG" -x assembler "asm/$1.s" -target amdgcn-amd-amdhsa -mcpu="$2" \
    -c -I asm -Wa,--fatal-warnings "${symbols[@]/#/-Wa,-defsym,}" -o "$object"
  "$LLD" -shared --build-id=none --discard-all "$object" -o "asm/$3"
  rm -f "$object"
}

# host COMPILER-NAME COMMAND OPT DWARF
host() {
  "$2" x86_64/demo.c -std=gnu11 -g "-gdwarf-$4" -gz=none "-O$3" \
    -ffile-prefix-map="$here=." "${@:5}" -pie -fPIE \
    -Wl,--build-id=none -o "x86_64/demo.$1.O$3.v$4"
}

# crash MACHINE OPT
crash() {
  local command=$GCC kind=(-static-pie -fPIE -fcf-protection=none)
  test "$1" = x86_64 || { command=$AARCH64_GCC kind=(-static -Wl,-z,max-page-size=4096); }
  "$command" core/crash.c -std=gnu11 -g -gdwarf-5 -gz=none "-O$2" -ffile-prefix-map="$here=." \
    -nostdlib -fno-stack-protector -fno-builtin -Wl,--build-id "${kind[@]}" \
    -o "core/crash.$1.O$2"
}

# parts FOLDER COMPILER DWARF FLAG...: a.cpp and b.cpp as the program FOLDER/prog; objects stay
parts() {
  local compiler=$2 dwarf=$3
  mkdir -p "split/$1"
  (
    cd "split/$1"
    for name in a b; do
      "$compiler" -x c++ "../$name.cpp" -c -o "$name.o" -O2 -g "-gdwarf-$dwarf" -gz=none \
        -ffile-prefix-map="$here/split/$1=." -fno-exceptions \
        -fno-asynchronous-unwind-tables -fcf-protection=none -fno-pic "${@:4}"
    done
    "$LLD" -static -e main --build-id=none --omagic a.o b.o -o prog
  )
}

# without_objects FOLDER
without_objects() {
  rm -f "split/$1/a.o" "split/$1/b.o"
}

# What `dwarfgpu run --demo` runs comes with the package, beside its source.
(
  cd ../dwarfgpu/data/source
  "$CLANG" -x hip hip/mandelbrot.hip --offload-arch=gfx942 --cuda-device-only \
    --no-gpu-bundle-output -nogpulib -nogpuinc -fuse-cuid=none "${paths[@]}" \
    -ffile-prefix-map="$PWD=." -g -gdwarf-5 -O2 -o ../mandelbrot.co
)

for gfx in gfx90a gfx942 gfx1100; do
  for opt in 0 2; do
    for dwarf in 4 5; do
      hip nest "$gfx" "$opt" "$dwarf"
      opencl kernels "$gfx" "$opt" "$dwarf"
    done
    hip call "$gfx" "$opt" 5
  done
done
for opt in 0 2; do
  hip data gfx942 "$opt" 5
done
for gfx in gfx90a gfx942 gfx1100 gfx1200; do
  for opt in 0 2; do
    kernels integers "$gfx" "$opt"
    kernels floats "$gfx" "$opt"
    kernels returns "$gfx" "$opt"
  done
done
# All kernels of other targets: python -m tools.run_kernels
kernels integers gfx908 2
kernels floats gfx1030 2
kernels prices gfx942 0
kernels host gfx942 0
kernels deadlock gfx1200 0
for gfx in gfx942 gfx1100; do
  for opt in 0 2; do
    kernels speed "$gfx" "$opt"
  done
done
hip data gfx90a 0 4
hip data gfx1100 2 5
hip nest gfx942 2 5 src -gembed-source
hip nest gfx942 2 5 dw64 -gdwarf64
hip nest gfx942 2 5 preload -mllvm -amdgpu-kernarg-preload-count=3
hip nest gfx1200 0 5
for gfx in gfx90a gfx1100; do
  hip library "$gfx" 2 5
done
# A library with a fat binary of two translation units, each for two targets.
fat=$(mktemp -d)
for part in library call; do
  python3 ../tools/make_bundle.py "$fat/$part" host-x86_64-unknown-linux= \
    hipv4-amdgcn-amd-amdhsa--gfx1100="hip/$part.gfx1100.O2.v5.co" \
    hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-="hip/$part.gfx90a.O2.v5.co"
done
printf '.section .hip_fatbin,"a"\n.p2align 12\n.incbin "%s"\n.p2align 12\n.incbin "%s"\n' \
  "$fat/library" "$fat/call" | "$GCC" -x assembler -nostdlib -shared -Wl,--build-id=none \
  -Wl,-z,noexecstack - -o hip/liblibrary.so
rm -r "$fat"
arguments gfx906 2 4 gfx906
arguments gfx1030 0 5 gfx1030
arguments gfx1030 0 5 gfx1030.wave64 -mwavefrontsize64
arguments gfx1201 2 6 gfx1201

assemble locations gfx942 locations.gfx942.v5.co
assemble locations4 gfx942 locations.gfx942.v4.co
assemble legacy gfx942 legacy.gfx942.v5.co
assemble wave32 gfx1100 wave32.gfx1100.v5.co
assemble chain_mubuf gfx90a chain_mubuf.gfx90a.v5.co
assemble chain_flat gfx942 chain_flat.gfx942.v5.co
assemble chain_wave32 gfx1100 chain_wave32.gfx1100.v5.co
assemble wholewave gfx942 wholewave.gfx942.v5.co
assemble wholewave_legacy gfx942 wholewave_legacy.gfx942.v5.co
assemble shapes gfx942 shapes.gfx942.v5.co
assemble records gfx942 records.gfx942.v5.co
for gpu in "gfx942 64" "gfx1100 32"; do
  gfx=${gpu% *} wave=WAVE=${gpu#* }
  assemble nested_if "$gfx" "nested_if.$gfx.v5.co" "$wave"
  assemble nested_if "$gfx" "nested_if_lanes.$gfx.v5.co" "$wave" SPILLED=1
  assemble nested_if "$gfx" "nested_if_memory.$gfx.v5.co" "$wave" SPILLED=2
  assemble nested_if "$gfx" "nested_if_whole.$gfx.v5.co" "$wave" WHOLE=1
  assemble nested_if "$gfx" "nested_if_call.$gfx.v5.co" "$wave" CALL=1
done
assemble nested_if gfx942 nested_if_literal.gfx942.v5.co WAVE=64 LITERAL=1
assemble divergent gfx942 divergent.gfx942.v5.co
assemble broken gfx942 broken/broken.gfx942.v5.co

# One with a name index.
"$CLANG" x86_64/names.cpp -g -gdwarf-5 -gpubnames -gz=none -O0 -ffile-prefix-map="$here=." \
  -fdebug-compilation-dir=. -nostdlib -static -Wl,--build-id=none -Wl,-e,main \
  --ld-path="$(command -v "$LLD")" -o x86_64/names.clang.O0.v5

# Big-endian data.
"$CLANG" aarch64_be/fields.c -target aarch64_be-linux-gnu -g -gdwarf-5 -gz=none -O0 -nostdlib \
  -ffile-prefix-map="$here=." -fdebug-compilation-dir=. -Wl,-e,main -Wl,--build-id=none \
  --ld-path="$(command -v "$LLD")" -o aarch64_be/fields.clang.O0.v5

# Stacks of AArch64, with and without signed return addresses.
stacks=(aarch64/stacks.c -std=gnu11 -g -gdwarf-5 -gz=none -ffile-prefix-map="$here=." -nostdlib
  -ffreestanding -static -fno-stack-protector -fasynchronous-unwind-tables -Wl,--build-id=none -Wl,-z,max-page-size=4096)
clang_stacks=("$CLANG" -target aarch64-linux-gnu "${stacks[@]}" -fdebug-compilation-dir=.
  --ld-path="$(command -v "$LLD")")
for opt in 0 2; do
  "$AARCH64_GCC" "${stacks[@]}" "-O$opt" -o "aarch64/stacks.gcc.O$opt"
  "${clang_stacks[@]}" "-O$opt" -o "aarch64/stacks.clang.O$opt"
done
"$AARCH64_GCC" "${stacks[@]}" -O2 -mbranch-protection=standard -o aarch64/stacks.gcc.O2.pac
"${clang_stacks[@]}" -O2 -mbranch-protection=pac-ret+leaf+b-key -o aarch64/stacks.clang.O2.pac

# C++ without a library, and without what needs one.
pointers=(x86_64/pointers.c -g -gdwarf-5 -gz=none -O0 -ffile-prefix-map="$here=." -nostartfiles
  -Wl,--build-id=none)
"$GCC" "${pointers[@]}" -fPIE -pie -Wl,-e,main -o x86_64/pointers.gcc.O0.v5
"$CLANG" "${pointers[@]}" -fPIC -shared -fdebug-compilation-dir=. \
  --ld-path="$(command -v "$LLD")" -Wl,-z,pack-relative-relocs -o x86_64/pointers.clang.O0.v5.so

bases=(x86_64/bases.cpp -g -gdwarf-5 -gz=none -O0 -fno-rtti -fno-exceptions
  -ffile-prefix-map="$here=." -nostdlib -static -Wl,--build-id=none)
"$GXX" "${bases[@]}" -o x86_64/bases.gcc.O0.v5
"$CLANG" "${bases[@]}" -fdebug-compilation-dir=. --ld-path="$(command -v "$LLD")" \
  -o x86_64/bases.clang.O0.v5

"$GXX" x86_64/members.cpp "${bases[@]:1}" -o x86_64/members.gcc.O0.v5

"$GCC" x86_64/bodies.c -g -gdwarf-5 -gz=none -O2 -fno-var-tracking -ffile-prefix-map="$here=." \
  -fcf-protection=none -nostdlib -static -no-pie -fno-pie -Wl,--build-id=none \
  -Wl,-z,noseparate-code -Wl,-e,main -o x86_64/bodies.gcc.O2.v5
"$CLANG" x86_64/bodies.c -g -gdwarf-5 -gz=none -O2 -ffile-prefix-map="$here=/src" -nostdlib \
  -static --ld-path="$(command -v "$LLD")" -Wl,-e,main -Wno-unknown-attributes -o x86_64/bodies.clang.O2.v5
"$GXX" x86_64/types.cpp "${bases[@]:1}" -std=c++20 -o x86_64/types.gcc.O0.v5
"$CLANG" x86_64/types.cpp "${bases[@]:1}" -std=c++20 -fdebug-compilation-dir=. \
  -fstandalone-debug --ld-path="$(command -v "$LLD")" -o x86_64/types.clang.O0.v5

"$GXX" x86_64/statics.cpp "${bases[@]:1}" -Wl,-z,noseparate-code -Wl,-e,main \
  -o x86_64/statics.gcc.O0.v5

"$GXX" x86_64/places.cpp x86_64/places_far.cpp "${bases[@]:1}" -fcf-protection=none -no-pie \
  -fno-pie -Wl,-z,noseparate-code -Wl,-e,main -o x86_64/places.gcc.O0.v5

# Fortran and Ada; their compilers leave files where they run, and name the source in messages.
(
  folder=$(mktemp -d)
  cp fortran/shapes.f90 ada/shapes.adb ada/bounds/bounds.ads "$folder"
  cd "$folder"
  "$FORTRAN" shapes.f90 -g -gdwarf-5 -gz=none -O0 -ffile-prefix-map="$folder=./fortran" \
    -Wl,--build-id=none -o "$here/fortran/shapes.gcc.O0.v5"
  "$GNATMAKE" -q shapes.adb -g -O0 -o "$here/ada/shapes.gcc.O0.v5" \
    -cargs -gdwarf-5 -gz=none -ffile-prefix-map="$folder=./ada" \
    -bargs -shared -largs -Wl,--build-id=none
  "$GCC" -c bounds.ads -g -gnatp -gdwarf-5 -gz=none -O0 -fPIC \
    -ffile-prefix-map="$folder=./ada"
  "$GCC" -shared -nostdlib bounds.o -Wl,--build-id=none -o "$here/ada/bounds/bounds.gcc.O0.v5"
  cd "$here"
  rm -rf "$folder"
)

# meanings COMPILER-NAME OPT DWARF COMMAND FLAG...
meanings() {
  "${@:4}" x86_64/meanings.cpp x86_64/meanings_far.cpp -g "-gdwarf-$3" -gz=none "-O$2" -fno-rtti \
    -fno-exceptions -fcf-protection=none -ffile-prefix-map="$here=." -nostdlib -static \
    -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-e,main -o "x86_64/meanings.$1.O$2.v$3"
}
meanings gcc 0 5 "$GXX"
meanings gcc 2 4 "$GXX"
meanings clang 0 4 "$CLANG" -fdebug-compilation-dir=. --ld-path="$(command -v "$LLD")"
meanings clang 2 5 "$CLANG" -fdebug-compilation-dir=. --ld-path="$(command -v "$LLD")"
meanings clang-types 0 5 "$CLANG" -fdebug-types-section -fdebug-compilation-dir=. \
  --ld-path="$(command -v "$LLD")"

"$RUSTC" rust/shapes.rs -g -C opt-level=0 -C panic=abort -C relocation-model=static \
  -C link-arg=-nostdlib -C link-arg=-static -C link-arg=-Wl,--build-id=none,--no-gc-sections \
  --remap-path-prefix="$here=." -o rust/shapes.rustc.O0

for opt in 0 2; do
  for dwarf in 4 5; do
    host gcc "$GCC" "$opt" "$dwarf"
  done
  host clang "$CLANG" "$opt" 5 -fdebug-compilation-dir=. \
    --ld-path="$(command -v "$LLD")"
done

# Split files, a package of them, and type units.
for dwarf in 4 5; do
  parts "gcc$dwarf" "$GCC" "$dwarf" -gsplit-dwarf -fdebug-types-section
  parts "clang$dwarf" "$CLANG" "$dwarf" -gsplit-dwarf -fdebug-types-section \
    -fdebug-compilation-dir=.
  for compiler in gcc clang; do
    without_objects "$compiler$dwarf"
    (cd "split/$compiler$dwarf" && "$DWP" -e prog -o prog.dwp)
  done
  parts "types-gcc$dwarf" "$GCC" "$dwarf" -fdebug-types-section
  parts "types-clang$dwarf" "$CLANG" "$dwarf" -fdebug-types-section -fdebug-compilation-dir=.
  rm -f "split/types-"*"$dwarf/b.o"
done
parts single "$CLANG" 5 -gsplit-dwarf=single -fdebug-compilation-dir=.
parts named "$CLANG" 5 -gsplit-dwarf -gpubnames -fdebug-types-section -fdebug-compilation-dir=.
without_objects named

# Indexes of names: none but the symbol table, the linker's, and GDB's own.
# indexed NAME COMPILER LINKERFLAG FLAG...
indexed() {
  (
    cd index
    for name in a b; do
      "$2" "$name.cpp" -c -o "$name.o" -O1 -g -gdwarf-5 -gz=none -ffile-prefix-map="$here/index=." \
        -fno-exceptions -fno-asynchronous-unwind-tables -fcf-protection=none -fno-pic "${@:4}"
    done
    "$LLD" -static --build-id=none --omagic "$3" a.o b.o -o "$1"
    rm -f a.o b.o
  )
}
indexed symbols.gcc "$GXX" --no-gdb-index
indexed lld.clang "$CLANG" --gdb-index -ggnu-pubnames -fdebug-compilation-dir=.
(
  cd index
  "$GDB" -batch -nx -ex 'save gdb-index .' symbols.gcc
  objcopy --add-section .gdb_index=symbols.gcc.gdb-index \
    --set-section-flags .gdb_index=readonly symbols.gcc gdb.gcc
  rm symbols.gcc.gdb-index
)

# Objects that are not linked: a section for each function and variable, groups of templates.
object() {
  "$2" objects/placed.cpp -c -o "objects/placed.$1.o" -O0 -g -gdwarf-5 -gz=none -fno-exceptions \
    -ffunction-sections -fdata-sections -ffile-prefix-map="$here=." "${@:3}"
}
object gcc "$GXX" -fcf-protection=none
object clang "$CLANG" -fdebug-compilation-dir=.
object aarch64 "$CLANG" -target aarch64-linux-gnu -fdebug-compilation-dir=.

# Two programs that share a supplementary file, of before DWARF 5 and of DWARF 5.
for dwarf in 4 5; do
  (
    parts "dwz$dwarf" "$GCC" "$dwarf"
    without_objects "dwz$dwarf"
    cd "split/dwz$dwarf"
    cp prog prog2
    option=()
    test "$dwarf" = 4 || option=(--dwarf-5)
    "$DWZ" "${option[@]}" -m common.debug -M common.debug prog prog2
    rm -f prog2
    # dwz draws the checksum of .debug_sup by lot; both files have it.
    test "$dwarf" = 4 || perl -0777pi -e \
      's/(\x05\0[\0\1][a-z.]*\0\x14).{20}/$1fixed checksum 12345/s' prog common.debug
  )
done

# A GPU has split units and type units too.
for dwarf in 4 5; do
  (
    mkdir -p "split/gfx942-$dwarf"
    cd "split/gfx942-$dwarf"
    "$CLANG" -x hip ../../hip/nest.hip --offload-arch=gfx942 --cuda-device-only \
      --no-gpu-bundle-output -nogpulib -nogpuinc -fuse-cuid=none "${paths[@]}" \
      -g "-gdwarf-$dwarf" -O2 -gsplit-dwarf -o nest.co
  )
  hip data gfx942 0 "$dwarf" types -fdebug-types-section
  mv "hip/data.gfx942.O0.v$dwarf.types.co" "split/gfx942-$dwarf/data.co"
done

# Containers of both libraries of C++. The debugging information of the libraries' headers is large:
# it is compressed, and of the symbols `arena` is kept.
containers() {
  local out=core/containers.x86_64.$1
  shift
  "$@" core/containers.cpp -std=c++20 -g -gdwarf-5 -O0 -fno-exceptions -ffunction-sections \
    -fno-asynchronous-unwind-tables -ffile-prefix-map="$here=." \
    -ffile-prefix-map=/usr/lib/llvm-19/include=include -ffile-prefix-map=/usr/include=include \
    -Wl,--gc-sections -Wl,--build-id -o "$out"
  objcopy -w --keep-symbol=_ZL5arena --strip-symbol='_Z*' --strip-symbol='.L*' \
    --compress-debug-sections=zlib "$out"
}
containers libstdcxx "$GXX"
containers libcxx "${CLANG/clang/clang++}" -stdlib=libc++ -fdebug-compilation-dir=.

# Programs that crash, without libraries; tools/build_cores.sh runs them for their core files.
for opt in 0 2; do
  for machine in x86_64 aarch64; do
    crash "$machine" "$opt"
  done
done

# Two units of C++; addresses of the vtables need no loader.
"$GXX" core/shapes.cpp core/shapes_area.cpp -std=gnu++17 -g -gdwarf-5 -gz=none -O0 \
  -ffile-prefix-map="$here=." -nostdlib -fno-stack-protector -fno-builtin -fno-exceptions -fno-rtti \
  -static -no-pie -fno-pie -fcf-protection=none -Wl,--build-id -o core/shapes.x86_64.O0

"$GXX" core/values.cpp -std=gnu++17 -g -gdwarf-5 -gz=none -O0 -ffile-prefix-map="$here=." \
  -nostdlib -fno-stack-protector -fno-builtin -fno-exceptions -fno-rtti -static -no-pie -fno-pie \
  -fcf-protection=none -Wl,--build-id -w -o core/values.x86_64.O0

"$GXX" core/removed.cpp -std=gnu++17 -g -gdwarf-5 -gz=none -O2 -ffile-prefix-map="$here=." \
  -nostdlib -fno-stack-protector -fno-builtin -fno-exceptions -fno-rtti -static -no-pie -fno-pie \
  -fcf-protection=none -fno-delete-null-pointer-checks -Wl,--build-id -o core/removed.x86_64.O2

for opt in 0 2; do
  "$GCC" core/lists.c -std=gnu11 -g -gdwarf-5 -gz=none "-O$opt" -ffile-prefix-map="$here=." -nostdlib \
    -fno-stack-protector -fno-builtin -static -no-pie -fno-pie -fcf-protection=none \
    -Wl,--build-id -o "core/lists.x86_64.O$opt"
done

# A program of which the tests write the core files themselves.
"$GCC" core/deep.c -std=gnu11 -g -gdwarf-5 -gz=none -O2 -ffile-prefix-map="$here=." -nostdlib \
  -static -no-pie -fcf-protection=none -Wl,--build-id=none -Wl,-z,noseparate-code \
  -Wl,-z,max-page-size=4096 -o core/deep.x86_64.O2
