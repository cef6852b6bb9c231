#!/bin/sh
# Writes requirements.lock: one list with hashes that holds for every Python we support. Run by `make lock`.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m venv "$scratch/uv"
"$scratch/uv/bin/python" -m pip --quiet --disable-pip-version-check install uv
cp requirements.lock "$scratch/new"
# No addresses in the file: it installs from whatever package index its reader has configured.
"$scratch/uv/bin/uv" --quiet pip compile --universal --generate-hashes --python-version 3.11 --extra dev \
    --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
    ${UPGRADE:+--upgrade} --output-file "$scratch/new" pyproject.toml
cat "$scratch/new" >requirements.lock
