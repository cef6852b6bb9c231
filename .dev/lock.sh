#!/bin/sh
# Writes the lock files anew: lists with hashes that hold for every Python we support. Run by `make lock`.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m venv "$scratch/uv"
"$scratch/uv/bin/python" -m pip --quiet --disable-pip-version-check install uv

compile() { # lock file, what else to say
    lock=$1
    shift
    touch "$lock"
    cp "$lock" "$scratch/new"
    # No addresses in the file: it installs from whatever package index its reader has configured.
    "$scratch/uv/bin/uv" --quiet pip compile --universal --generate-hashes --python-version 3.11 \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
        ${UPGRADE:+--upgrade} --output-file "$scratch/new" pyproject.toml "$@"
    cat "$scratch/new" >"$lock"
}

# What a list holds already the next one leaves out, and goes by.
besides() { sed -n 's/^\([a-z0-9][a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements.lock; }

compile requirements.lock --extra dev
compile requirements-spark.lock --extra spark --constraints requirements.lock $(besides)
compile requirements-java.lock --extra java --constraints requirements.lock $(besides)
