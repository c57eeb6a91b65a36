#!/bin/sh
# run_root.sh WHEEL ARCH DIR -- the wheel in Debian 11 (glibc 2.31, Python 3.9) for x86_64 or aarch64.
#
# DIR gets Debian's packages, unpacked in DIR/root; no root is needed and nothing is installed.
# PRoot makes it the root folder; QEMU's user emulation runs it on another processor.  Both are
# Debian packages too.  Exits with 77 where something cannot be downloaded.
#
# SPDX-License-Identifier: MIT
set -eu
usage="usage: tests/wheel/run_root.sh WHEEL ARCH DIR"
wheel=$(realpath "${1:?$usage}")
arch=${2:?$usage}
mkdir -p "${3:?$usage}"
dir=$(cd "$3" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
root=$dir/root
skip() { echo "wheel: skipped: $1" >&2; exit 77; }

case $arch in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) echo "$usage" >&2; exit 2 ;;
esac
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "apt and dpkg are missing"
here=$(dpkg --print-architecture)

# unpack NAME SUITE ARCH TO PACKAGE... -- the packages and all that they need.
unpack() {
    name=$1 suite=$2 for=$3 to=$4
    shift 4
    rm -rf "$to"
    mkdir -p "$to"
    "$source/tools/portable/apt.sh" "$dir/$name" "$suite" "$for" install -y --download-only "$@" \
        >"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; skip "Debian's packages cannot be downloaded"; }
    for package in "$dir/$name"/cache/archives/*.deb; do
        dpkg -x "$package" "$to"
    done
}

if [ ! -f "$dir/ready" ]; then
    unpack apt bullseye "$debian" "$root" bash dash coreutils findutils sed grep python3 python3-venv
    # those of Debian 11 too: PRoot does not know the calls that a newer QEMU makes
    unpack tools bullseye "$here" "$dir/tools-root" proot qemu-user-static
    [ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
    python3 -m pip -q download --disable-pip-version-check --only-binary=:all: --python-version 3.9 \
        --platform "manylinux2014_$arch" -d "$root/numpy" numpy >"$dir/log" 2>&1 ||
        skip "NumPy cannot be downloaded"
    touch "$dir/ready"
fi

library=$(dirname "$(find "$dir/tools-root/usr/lib" -name 'libtalloc.so.2')")     # PRoot's
emulator=
[ "$debian" = "$here" ] || emulator="-q $dir/tools-root/usr/bin/qemu-$arch-static"
# the seccomp filter of this version of PRoot does not know the calls of newer systems
exec env -i PROOT_NO_SECCOMP=1 HOME=/ PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
    PIP_NO_INDEX=1 PIP_FIND_LINKS=/numpy PIP_NO_CACHE_DIR=1 \
    LD_LIBRARY_PATH="$library" "$dir/tools-root/usr/bin/proot" $emulator -r "$root" -b /proc -b /dev \
    -b "$source:/source" -b "$(dirname "$wheel"):/wheels" -w / \
    /bin/sh /source/tests/wheel/run_wheel.sh "/wheels/$(basename "$wheel")" /alone
