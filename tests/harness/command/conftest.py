"""Tests in a home of their own (`pytester`) take the Toxiproxy server that is built already, not one built anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", CACHE)
