#!/bin/sh
# run_install.sh STEP -- one step of the installation test; ctest runs each as a test.
#
# From the environment: BUILD, SOURCE, LIBDIR, VERSION, SOVERSION, CMAKE, CC, CXX.
#
# SPDX-License-Identifier: MIT
set -eu
unset MAKEFLAGS MAKELEVEL DESTDIR
prefix=$BUILD/install-test/prefix
work=$BUILD/install-test/$1
lib=$prefix/$LIBDIR
here=$SOURCE/tests/install
examples=$SOURCE/examples
run_example=$SOURCE/tests/examples/run_example.sh
strict="-Wall -Wextra -Wpedantic -Werror"
export PKG_CONFIG_PATH="$lib/pkgconfig"

fail() { echo "$1" >&2; exit 1; }
is_file() { [ -s "$1" ] || fail "$1 was not installed"; }
# A page that no formatter complains about, at any width.
manual() {
    is_file "$1"
    command -v groff >/dev/null || return 0
    for width in 60 78 100; do
        groff -man -ww -z -Tutf8 -rLL=${width}n "$1" >warnings 2>&1 && [ ! -s warnings ] ||
            fail "$1, $width columns: $(head -n 3 warnings)"
    done
}
# What a program that was linked with the library asks for when it starts.
needs() { readelf -d "$1" | grep -qF "[$2.$SOVERSION]" || fail "$1 does not ask for $2.$SOVERSION"; }

rm -rf "$work"
mkdir -p "$work"
cd "$work"
case $1 in
prefix)
    rm -rf "$prefix"
    "$CMAKE" --install "$BUILD" --prefix "$prefix"
    is_file "$prefix/include/bonsai.h"
    is_file "$prefix/include/bonsai_study.h"
    is_file "$lib/libbonsai.a"
    is_file "$lib/libbonsai.so.$VERSION"
    is_file "$lib/libbonsai.so" ;;
program)
    "$prefix/bin/bonsai" version | grep -F "$VERSION"
    manual "$prefix/share/man/man1/bonsai.1"
    # Whatever of these the source has, the installation has.
    [ ! -f "$SOURCE/completions/bonsai.bash" ] ||
        is_file "$prefix/share/bash-completion/completions/bonsai"
    [ ! -f "$SOURCE/completions/bonsai.fish" ] ||
        is_file "$prefix/share/fish/vendor_completions.d/bonsai.fish"
    [ ! -f "$SOURCE/completions/_bonsai" ] || is_file "$prefix/share/zsh/site-functions/_bonsai" ;;
pkgconfig)
    [ "$(pkg-config --modversion bonsai)" = "$VERSION" ] || fail "bonsai.pc has another version"
    $CC -std=c11 $strict $(pkg-config --cflags bonsai) "$here/consumer.c" -o shared \
        $(pkg-config --libs bonsai)
    LD_LIBRARY_PATH=$lib ./shared
    needs shared libbonsai.so
    for name in condense build_graph; do
        $CC -std=c11 $strict $(pkg-config --cflags bonsai) "$examples/$name.c" -o $name \
            $(pkg-config --libs bonsai)
        LD_LIBRARY_PATH=$lib sh "$run_example" $name ./$name
    done ;;
static)
    # As doc/c.md says.
    for name in condense build_graph; do
        $CC -std=c11 $strict $(pkg-config --cflags bonsai) "$examples/$name.c" -o $name \
            $(pkg-config --static --libs bonsai | sed 's/-lbonsai/-l:libbonsai.a/')
        ! readelf -d $name | grep -F libbonsai || fail "$name asks for the shared library"
        sh "$run_example" $name ./$name
    done ;;
leaks)
    # A program that uses the shared library needs its header and its name, and no other library's
    # file for pkg-config; nothing that was installed knows where it was built.
    PKG_CONFIG_LIBDIR="$lib/pkgconfig" pkg-config --cflags --libs bonsai >/dev/null ||
        fail "pkg-config asks for other files"
    for word in $(pkg-config --cflags bonsai); do
        [ "$word" != "${word#-I}" ] && [ "$(realpath "${word#-I}")" = "$prefix/include" ] ||
            fail "pkg-config --cflags bonsai says $word"
    done
    for word in $(pkg-config --libs bonsai); do
        case $word in
        -lbonsai) ;;
        -L*) [ "$(realpath "${word#-L}")" = "$lib" ] || fail "pkg-config --libs bonsai says $word" ;;
        *) fail "pkg-config --libs bonsai says $word" ;;
        esac
    done
    ! grep -rF -e "$BUILD" -e "$SOURCE" "$lib/pkgconfig" "$lib/cmake" "$prefix/include" "$prefix/share" ||
        fail "this says where the library was built"
    for file in "$lib"/*.so "$prefix"/bin/*; do
        ! readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -vF "[\$ORIGIN" ||
            fail "$file looks for libraries there"
    done ;;
package)
    "$CMAKE" -S "$here" -B . "-Dwanted=$VERSION" "-Dexamples=$examples" "-DCMAKE_PREFIX_PATH=$prefix" \
        "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX"
    "$CMAKE" --build .
    for part in shared statik; do
        mkdir "$part.d"
        printf '%s\n' "cmake_minimum_required(VERSION 3.18)" "project(x LANGUAGES C)" \
            "find_package(bonsai REQUIRED COMPONENTS $part)" > "$part.d/CMakeLists.txt"
        "$CMAKE" -S "$part.d" -B "$part.d" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_COMPILER=$CC" \
            > "$part.log" 2>&1 || [ $part = statik ] || fail "component $part was not found"
    done
    grep -F 'no component "statik": there are "shared"' statik.log || fail "$(cat statik.log)"
    ./shared
    ./static
    for name in condense build_graph; do
        sh "$run_example" $name ./$name
        sh "$run_example" $name ./${name}_static
    done ;;
mpi)
    is_file "$prefix/include/bonsai_mpi.h"
    is_file "$lib/libbonsai_mpi.a"
    is_file "$lib/libbonsai_mpi.so.$VERSION"
    manual "$prefix/share/man/man1/bonsai-mpi.1"
    is_file "$prefix/share/bash-completion/completions/bonsai-mpi"
    is_file "$prefix/share/fish/vendor_completions.d/bonsai-mpi.fish"
    [ "$(pkg-config --modversion bonsai_mpi)" = "$VERSION" ] || fail "bonsai_mpi.pc has another version"
    # One library, linked instead of libbonsai: the same program, and one that asks for ranks.
    $CC -std=c11 $strict $(pkg-config --cflags bonsai_mpi) "$here/consumer.c" -o plain \
        $(pkg-config --libs bonsai_mpi)
    LD_LIBRARY_PATH=$lib ./plain
    needs plain libbonsai_mpi.so
    $CC -std=c11 $strict $(pkg-config --cflags bonsai_mpi) "$here/consumer_mpi.c" -o shared \
        $(pkg-config --libs bonsai_mpi)
    "$CMAKE" -S "$here" -B cmake "-Dwanted=$VERSION" -Dmpi=ON "-DCMAKE_PREFIX_PATH=$prefix" \
        "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX"
    "$CMAKE" --build cmake
    for program in shared cmake/mpi cmake/mpi_static; do
        LD_LIBRARY_PATH=$lib sh "$SOURCE/tests/mpi/start.sh" 2 "./$program"
    done
    sh "$SOURCE/tests/mpi/start.sh" 2 "$prefix/bin/bonsai-mpi" version | grep -F "$VERSION" ;;
make)
    # Of the Makefile's install only what it says to CMake; then what uninstall removes.
    mkdir -p bin "a b/lib" release
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >> "%s/said"\n' "$work" > bin/cmake
    chmod +x bin/cmake
    PATH=$work/bin:$PATH make -C "$SOURCE" install "BUILD=$work" "PREFIX=$work/a b"
    grep -Fx -e "-DCMAKE_INSTALL_PREFIX=$work/a b" said || fail "make install says another prefix"
    ! make -C "$SOURCE" uninstall "BUILD=$work" 2>said || fail "make uninstall had nothing to remove"
    grep -F "nothing was installed" said
    touch "a b/lib/one" "a b/two" "a b/kept"
    printf '%s\n%s' "/a b/lib/one" "/a b/two" > release/install_manifest.txt
    make -C "$SOURCE" uninstall "BUILD=$work" "DESTDIR=$work"
    [ ! -e "a b/lib/one" ] && [ ! -e "a b/two" ] || fail "make uninstall left a file"
    [ -e "a b/kept" ] || fail "make uninstall removed a file that was not installed" ;;
header)
    for std in c11 c17; do
        $CC -std=$std $strict -fsyntax-only "-I$SOURCE/include" "$here/consumer.c"
    done
    for std in c++11 c++20; do
        $CXX -std=$std $strict -fsyntax-only "-I$SOURCE/include" -x c++ "$here/consumer.c"
    done ;;
*) fail "unknown step $1" ;;
esac
