#!/bin/sh
# Makes .venv: the pinned packages of requirements.lock, this project in place, and the Toxiproxy server in its cache.
# Does nothing when all that is done already. Whatever stops it half-way, the next call ends it. Run by `make setup`.
set -eu
cd "$(dirname "$0")/.."
needs="Shaketable needs Python 3.11, 3.12 or 3.13"

version_of() { # prints 3.x, or fails if that interpreter does not run
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

is_good() {
    case "$(version_of "$1")" in 3.11 | 3.12 | 3.13) return 0 ;; *) return 1 ;; esac
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_good "$PYTHON" && python=$PYTHON && return
        found=$(version_of "$PYTHON") && found="is Python $found" || found="does not run"
        echo "$needs, and PYTHON=$PYTHON $found." >&2
        exit 2
    fi
    for python in python3 python3.13 python3.12 python3.11; do
        if is_good "$python"; then return; fi
    done
    echo "$needs, and none is on the PATH: install one, or say where it is with make PYTHON=/path/to/python3." >&2
    exit 2
}

# One set-up at a time, where the machine can lock (make demo and make test may start side by side).
exec 9<requirements.lock
if command -v flock >/dev/null && ! flock -n 9; then
    echo "Another set-up is at work here: waiting for it"
    flock 9
fi

started=.venv/set-up-started
done=.venv/set-up-done
# What an environment was made from. The folder counts too: the project is installed by its path.
inputs="$PWD $(cat pyproject.toml requirements.lock .dev/setup.sh | cksum)"

if [ -f $done ] && is_good .venv/bin/python && [ "$(cat $done)" = "$inputs" ]; then
    if [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of .venv/bin/python)" ]; then exit 0; fi
fi

find_python
if [ -f $started ] || ! is_good .venv/bin/python || [ "$(version_of .venv/bin/python)" != "$(version_of "$python")" ]; then
    if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        echo "$python has no venv module: install it (on Debian and Ubuntu: apt install python$(version_of "$python")-venv)." >&2
        exit 2
    fi
    echo "Making .venv with Python $(version_of "$python")"
    mkdir -p .venv
    : >$started # before anything is removed, so that half an environment is never taken for one
    find .venv -mindepth 1 -maxdepth 1 ! -path $started -exec rm -rf {} +
    "$python" -m venv .venv
fi
: >$started
rm -f $done
echo "Installing the pinned packages (about half a minute the first time)"
# Meanwhile the server is built: that needs nothing but Python and Go.
PYTHONPATH=.dev .venv/bin/python -m shaketable.harness.worlds.real.toxiproxy_server &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT
trap 'exit 130' INT TERM
pip() { .venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }
# Most of it is never imported, and need not be compiled.
pip install --no-compile --require-hashes -r requirements.lock
pip install --no-compile --no-deps --no-build-isolation -e .
trap - EXIT
if ! wait $server; then
    echo "The Toxiproxy server is not here yet; a run in the real world tries again, and says which link fabric it uses." >&2
fi
printf '%s\n' "$inputs" >$done
rm -f $started
