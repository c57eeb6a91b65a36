#!/bin/sh
# aarch64.sh BUILD FOLDER -- builds for aarch64, runs unit tests under emulation, and compares bytes.
#
# BUILD holds the program for this machine (build/release).  FOLDER is kept and filled: root, a Debian of
# that architecture; build, our program and tests; run, the program behind the emulator.  same.py --quick then
# runs the cases whose names contain $CASES (condense/) with BUILD and with run.  Needs root, debootstrap,
# qemu-user-static, gcc-aarch64-linux-gnu and g++-aarch64-linux-gnu.
#
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
native=$(cd "$1" && pwd)
mkdir -p "$2/run"
folder=$(cd "$2" && pwd)
root=$folder/root
cpu=aarch64-linux-gnu
lib=$root/usr/lib/$cpu
emulator=qemu-aarch64-static
libraries=libc6-dev,libopenblas-dev,libzip-dev,zlib1g-dev,libcmocka-dev,libgomp1

# Packages are unpacked, not configured, so that nothing of them has to run.
make_root() {
    debootstrap --arch=arm64 --foreign --variant=minbase --include=$libraries "${SUITE-bookworm}" "$root"
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
    done
    cp -a "$lib"/openblas-pthread/libopenblas* "$lib"
    touch "$root/ready"
}

configure() {
    PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$lib/pkgconfig:$lib/openblas-pthread/pkgconfig \
        cmake -S "$source" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_LIBRARY_ARCHITECTURE=$cpu \
        -DCMAKE_C_COMPILER=$cpu-gcc -DCMAKE_CXX_COMPILER=$cpu-g++ -DCMAKE_FIND_ROOT_PATH="$root" \
        -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$lib" \
        -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-rpath-link,$lib" -DBONSAI_MPI=OFF -DBONSAI_CURL=OFF \
        -DBONSAI_METIS=OFF -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator;-L;$root" >"$folder/configure.log" 2>&1
}

# Of the stages whose arithmetic decides what is written; those with many threads would take long.
names=$(cd "$source/tests" && ls tensor embed neighbours prototypes | grep -v -e _ranks -e _deep |
    sed -n 's/^\(test_.*\)\.c/\1/p')

[ -e "$root/ready" ] || make_root
configure || { cat "$folder/configure.log"; exit 1; }
cmake --build "$folder/build" -j"$(nproc)" \
    --target cli tests_tensor test_kernels tests_embed tests_neighbours tests_prototypes
printf '#!/bin/sh\nexec %s -L "%s" "%s" "$@"\n' $emulator "$root" "$folder/build/bonsai" >"$folder/run/bonsai"
chmod +x "$folder/run/bonsai"
failed=0
(cd "$folder/build" && ctest -R "^($(echo $names | tr ' ' '|'))\$" --timeout 1500 -j"$(nproc)") || failed=1
LIMIT=3000 "$here/same.py" --quick --only "${CASES-condense/}" "$native" "$folder/run" || failed=1
exit $failed
