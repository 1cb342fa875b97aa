# Sourced with $root set: gives require_venv, which leaves a ready .venv in the checkout.

# A ready .venv is known by its stamps, so that a start costs one `cmp`: the checkout that it was
# made for, and for each purpose (run, test, docs) the pyproject.toml from which it was filled.
venv_is_ready() {
    [ -x "$root/.venv/bin/python" ] && [ -f "$root/.venv/checkout" ] || return 1
    IFS= read -r made_for <"$root/.venv/checkout" || return 1
    [ "$made_for" = "$root" ] && cmp -s "$root/pyproject.toml" "$root/.venv/filled-for-$1"
}

# Every candidate is run, because a name on the PATH may be a shim with nothing behind it.
find_python() {
    for python in python3 python3.11 python3.12 python3.13 python3.14 python; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            return 0
        fi
    done
    echo "dwarfgpu: no Python 3.11 or newer on the PATH; install your system's python3" >&2
    return 1
}

require_venv() {
    venv_is_ready "$1" && return 0
    find_python || exit 2
    "$python" "$root/tools/make_venv.py" "$root" "$1" || exit 2
}
