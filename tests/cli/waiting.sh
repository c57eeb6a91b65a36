# Threads that wait sleep at once, unless the user says otherwise.
# SPDX-License-Identifier: MIT
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
spins() {           # SETTING...
    env OMP_DISPLAY_ENV=verbose "$@" "$BONSAI" version 2>&1 >/dev/null |
        sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'.*/\1/p"
}
[ -n "$(spins A=1)" ] || exit 77        # built without OpenMP, or with another runtime
[ "$(spins A=1)" = 0 ] && [ "$(spins GOMP_SPINCOUNT=77)" = 77 ] &&
    [ "$(spins OMP_WAIT_POLICY=active)" != 0 ]
