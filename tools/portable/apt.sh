#!/bin/sh
# apt.sh DIR SUITE ARCH COMMAND... -- apt-get with lists, a cache and no packages of its own in DIR.
#
# Nothing of the system is read but the address of its Debian mirror (DEBIAN_MIRROR is another)
# and Debian's keys, and nothing of it is changed; no root is needed.
#
# SPDX-License-Identifier: MIT
set -eu
usage="usage: apt.sh DIR SUITE ARCH COMMAND..."
mkdir -p "${1:?$usage}"
dir=$(cd "$1" && pwd)
suite=${2:?$usage}
arch=${3:?$usage}
shift 3
keys=/usr/share/keyrings/debian-archive-keyring.gpg

mirrors() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "$@"; }
mirror=${DEBIAN_MIRROR:-$({ mirrors 'Origin: Debian'; mirrors; } | head -n 1)}
[ -n "$mirror" ] || { echo "apt.sh: no Debian mirror is known; set DEBIAN_MIRROR" >&2; exit 1; }

apt() {
    apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
        -o Dir::State="$dir" -o Dir::State::Lists="$dir/lists" -o Dir::State::status="$dir/status" \
        -o Dir::Cache="$dir/cache" -o Dir::Etc::SourceList="$dir/sources" \
        -o Dir::Etc::SourceParts=/dev/null "$@"
}

if [ ! -f "$dir/ready" ]; then
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
    : >"$dir/status"
    for kind in deb deb-src; do
        echo "$kind [signed-by=$keys] $mirror $suite main"
    done >"$dir/sources"
    apt update
    touch "$dir/ready"
fi
apt "$@"
