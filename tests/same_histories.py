"""Has a change left every history as it was? For changes that are to move things and change nothing.

    python -m tests.same_histories keep FILE      before: plays every script in virtual time, and keeps the hashes
    python -m tests.same_histories compare FILE   after: plays them again, and names those that differ

Each script is played with two seeds and both presets. A field that a kind of event has gained since is left out: the
rest still has to be as it was."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from tests.where import CHAOS

from shaketable.harness.history import codec
from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.node.config import PRESETS

SEEDS: Final = (1, 2)
Fields = Mapping[str, Sequence[str]]
"""of each kind of event"""
Case = tuple[int, int, str]
"""the place of a script among all, its seed, its preset"""
_scripts: list[Script] = []
"""of this process; a worker finds those that were loaded before it was forked"""


def fields() -> dict[str, list[str]]:
    return {kind.__name__: [field.name for field in msgspec.structs.fields(kind)] for kind in codec.EVENT_TYPES}


def without_new_fields(lines: bytes, known: Fields) -> Iterator[bytes]:
    gained = {kind: new for kind, now in fields().items() if (new := set(now).difference(known.get(kind, now)))}
    for line in lines.splitlines():
        lately = gained.get(codec.row_of(line).kind) if gained else None
        yield line if lately is None else msgspec.json.encode(_without(lately, msgspec.json.decode(line)))


def _without(new: set[str], row: dict[str, object]) -> dict[str, object]:
    """A field that holds a member has two columns."""
    left = {name: value for name, value in row.items() if name.removesuffix("_uuid") not in new}
    detail = left.pop("detail", None)
    if isinstance(detail, dict) and (rest := {name: value for name, value in detail.items() if name not in new}):
        left["detail"] = rest
    return left


def hash_of(case: Case, known: Fields) -> str:
    place, seed, preset = case
    script = _scripts[place]
    if script.why_not_in("sim"):
        return "not for this world"
    records = run_simulated(script, Options(seed=seed, preset=preset)).records
    lines = without_new_fields(codec.hashed_lines(History(records).records), known)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def all_hashes(known: Fields) -> dict[str, str]:
    _scripts[:] = load_scripts([CHAOS])
    cases = [(place, seed, preset) for place in range(len(_scripts)) for seed in SEEDS for preset in PRESETS]
    with multiprocessing.get_context("fork").Pool(initializer=collect_garbage_rarely) as pool:
        hashes = pool.map(partial(hash_of, known=known), cases, chunksize=16)
    names = [f"{_scripts[place].name} seed {seed} {preset}" for place, seed, preset in cases]
    return dict(sorted(zip(names, hashes, strict=True)))


def main(arguments: Sequence[str]) -> str:
    match arguments:
        case ["keep", file]:
            kept = {"fields": fields(), "hashes": all_hashes({})}
            Path(file).write_text(json.dumps(kept, indent=1), encoding="utf-8")
            return ""
        case ["compare", file]:
            kept = json.loads(Path(file).read_text(encoding="utf-8"))
            before, now = kept["hashes"], all_hashes(kept["fields"])
            differ = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
            sys.stdout.write(f"{len(differ)} of {len(before)} histories differ\n")
            return "\n".join(differ)
        case _:
            return str(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
