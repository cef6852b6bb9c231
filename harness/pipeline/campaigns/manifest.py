"""What a campaign was asked to do, kept beside its store: who gives the same again goes on with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from shaketable import harness
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.pipeline.spark.travel import PACKAGES, folder_of
from shaketable.harness.whole_files import write_json

NAME: Final = "campaign.json"
SCHEMA: Final = 1
ANOTHER: Final = "give another --out"


class Manifest(msgspec.Struct, frozen=True):
    schema: int
    asked: dict[str, str]
    """what decides which runs there are and what comes of them, by the names of the options"""
    code: str
    """a checksum over ours and the scripts: rows of another one would not fit"""
    shaketable: str


def manifest_of(asked: dict[str, str], scripts: Iterable[str]) -> Manifest:
    return Manifest(SCHEMA, asked, _checksum(scripts), harness.version())


def begin_or_go_on(folder: Path, now: Manifest) -> None:
    """Refuses in a sentence a folder in which another campaign has begun, or something else is."""
    path = folder / NAME
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        before = msgspec.json.decode(path.read_bytes(), type=Manifest) if path.exists() else None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise UserError(f"{path} says nothing that can be read: {ANOTHER}") from None
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{folder} is no folder: {ANOTHER}") from None
    except OSError as error:
        raise cannot_be_written(folder, error, ANOTHER) from None
    if before is None:
        _write(path, now)
        return
    for name in {**before.asked, **now.asked}:
        was, now_is = before.asked.get(name, "nothing"), now.asked.get(name, "nothing")
        if was != now_is:
            raise UserError(
                f"{folder} holds a campaign with {name} {was}, not {now_is}: give the same, or another --out"
            )
    if (before.schema, before.code) != (now.schema, now.code):
        raise UserError(f"{folder} holds a campaign of other code or other scripts than these: {ANOTHER}")


def _write(path: Path, now: Manifest) -> None:
    try:
        write_json(path, now)
    except OSError as error:
        raise cannot_be_written(path.parent, error, ANOTHER) from None


def _checksum(scripts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    ours = [file for package in PACKAGES for file in sorted(folder_of(f"shaketable.{package}").rglob("*.py"))]
    for file in [*ours, *map(Path, sorted({*scripts}))]:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
