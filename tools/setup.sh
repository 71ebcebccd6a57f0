#!/bin/sh
# Make or repair a virtual environment from requirements.lock and install qoslib in it, editable.
#   tools/setup.sh FOLDER [PYTHON]
# Plain sh, because it runs before anything of ours is installed. Whatever goes wrong is one line.
set -u
venv=$1
log=$venv.log

fail() {
    echo "qoslib: $*" >&2
    exit 1
}

old="" bare=""
find_python() {
    for python in ${1:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        # A name on PATH may be a shim for a version that is not active: only running it tells.
        "$python" -c '' 2>/dev/null || continue
        if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            old="$old $("$python" --version 2>&1)"
        elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            bare=$python
        else
            return 0
        fi
    done
    [ -z "$bare" ] || fail "$bare has no venv module; on Debian and Ubuntu: apt install python3-venv"
    [ -z "$old" ] || fail "Python 3.11 or newer is needed, and only$old was found; name another with make PYTHON=/path/to/python3"
    fail "no working Python found${1:+ at $1}; install Python 3.11 or newer, or name one with make PYTHON=/path/to/python3"
}

pip() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2 "$@" >>"$log" 2>&1
}

pip_install() {
    pip "$@" && return
    if grep -qE 'NewConnectionError|Failed to establish|NameResolution|ConnectTimeout|ProxyError|Connection broken|Read timed out' "$log"; then
        fail "no network: the packages in requirements.lock could not be downloaded (details in $log)"
    fi
    fail "$(grep -m1 '^ERROR' "$log" || echo 'pip failed') (details in $log)"
}

# uv downloads and unpacks several packages at a time. It does not read pip's settings, so where it
# fails, as on a network that has an index of its own, pip does the same.
uv_install() {
    uv=build/uv/bin/uv
    [ -x $uv ] || pip --target build/uv --require-hashes -r tools/requirements-uv.lock || return
    $uv pip install --quiet --python "$venv/bin/python" "$@" >>"$log" 2>&1
}

: >"$log" || fail "cannot write $log"
rm -f "$venv/.ready"
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    find_python "${2:-}"
    echo "qoslib: making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" >>"$log" 2>&1 || fail "$python -m venv $venv failed (details in $log)"
fi
echo "qoslib: installing the locked packages in $venv (one to five minutes the first time)"
uv_install --require-hashes -r requirements.lock || pip_install --no-compile --require-hashes -r requirements.lock
# Modules are compiled on all cores, while kernels are on one; without this, at their first import.
if [ -z "${PIP_NO_COMPILE:-}" ]; then
    nice "$venv/bin/python" -m compileall -qq -j 0 "$venv/lib" >>"$log" 2>&1 &
fi
pip_install --no-deps --no-build-isolation --editable .
mkdir -p "$venv/share/jupyter/lab/settings" "$venv/etc/jupyter"
cp tools/jupyterlab_settings.json "$venv/share/jupyter/lab/settings/overrides.json"
cp tools/jupyter_server_config.py "$venv/etc/jupyter/"
if [ -z "${SETUP_KERNELS:-}" ]; then
    "$venv/bin/python" tools/compile_kernels.py || fail "the packet kernels could not be compiled"
fi
wait
pwd -P >"$venv/.ready"
