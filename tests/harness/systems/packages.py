"""Packages of others that register systems, as an installer would leave them."""

from pathlib import Path

from tests.where import ROOT


def package(folder: Path, name: str, **systems: str) -> Path:
    """The folder that the path of modules has to name. `systems`: where each is, by its name."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = [f"{system} = {where}" for system, where in systems.items()]
    (info / "entry_points.txt").write_text("\n".join(["[shaketable.systems]", *lines, ""]))
    return folder


def path_with(folder: Path) -> str:
    """PYTHONPATH for another process."""
    return f"{folder}:{ROOT}"
