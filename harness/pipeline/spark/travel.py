"""How code gets to executors on other machines: our packages as one zip that they import from, scripts as files.

In local mode nothing travels: the executors' processes are of this machine and of this Python."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES: Final = ("node", "harness", "chaos")
"""A process that only simulates and judges needs no screens."""


_SCRIPTS: Final = "scripts"


def code_zip(folder: Path) -> Path:
    """Our packages as they are here, importable as `shaketable.node` and so on."""
    path = folder / "shaketable_code.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.write(folder_of("shaketable") / "__init__.py", "shaketable/__init__.py")
        for package in PACKAGES:
            top = folder_of(f"shaketable.{package}")
            for file in sorted(top.rglob("*")):
                if "__pycache__" not in file.parts:
                    name = f"shaketable/{package}/{file.relative_to(top)}"
                    target.write(file, f"{name}/" if file.is_dir() else name)
    return path


def send_code(spark: SparkSession, folder: Path) -> None:
    if not is_local(spark.sparkContext.master):
        spark.sparkContext.addPyFile(str(code_zip(folder)))


def send_scripts(spark: SparkSession, files: Iterable[str], folder: Path) -> None:
    """Files that tasks will load scripts from; a task asks where each has `arrived`. `folder` is for what is packed."""
    if is_local(spark.sparkContext.master):
        return
    # One archive: each costs an executor its own question to the driver.
    sent = sorted({*files})
    name = f"{_SCRIPTS}-{_digest(*sent)}"
    packed = folder / f"{name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sent:
            # In a folder of its own the file keeps its name, which a history may show.
            target.write(file, f"{_digest(file)}/{Path(file).name}")
    spark.sparkContext.addArchive(f"{packed}#{name}")


def arrived(file: str) -> str:
    """In a task: where the script's file is here."""
    from pyspark import SparkFiles

    sent = Path(SparkFiles.getRootDirectory()).glob(f"{_SCRIPTS}-*/{_digest(file)}/{Path(file).name}")
    return str(next(sent, file))


def is_local(master: str | None) -> bool:
    return master is not None and (master == "local" or master.startswith("local["))


def _digest(*files: str) -> str:
    """Files of one name may come from several folders."""
    return hashlib.sha256("\n".join(files).encode()).hexdigest()[:12]


def folder_of(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))).resolve()
