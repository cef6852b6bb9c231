"""Systems as other packages may register them: each has something wrong, or is not ready."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NoReturn

import msgspec
from tests.harness.systems.toy import TOY

from shaketable.harness.records import UnderTest
from shaketable.harness.systems.system import System


def _raises(*given: Any) -> NoReturn:
    raise RuntimeError("nobody foresaw it")


RAISED: Final = f"RuntimeError: nobody foresaw it (of_others.py:{_raises.__code__.co_firstlineno + 1})"


def _called(name: str, **told: Any) -> UnderTest:
    return msgspec.structs.replace(TOY.under_test, name=name, **told)


MEMBERS: Final = replace(TOY, under_test=_called("members"), members=_raises)
UNFIT: Final = replace(TOY, under_test=_called("unfit"), unfit=_raises)
CANNOT: Final = replace(TOY, under_test=_called("cannot"), cannot=_raises)
RETOLD: Final = replace(TOY, under_test=_called("retold"), retold=_raises)
INSTALL: Final = replace(TOY, under_test=_called("install"), install=_raises)
MISSING: Final = replace(TOY, under_test=_called("missing"), missing=_raises)
TELLS: Final = replace(TOY, under_test=_called("tells", tells=("Started", "Stoped")))
PROMISES: Final = replace(TOY, under_test=_called("promises", promises=("setled",)))
SETTINGS: Final = replace(TOY, under_test=_called("settings"), settings={"nonsense": 1})
UNREADY: Final = replace(TOY, under_test=_called("unready"), ready=lambda under_test: False)
VERSIONS: Final = replace(TOY, under_test=_called("versions"), versions=5)  # type: ignore[arg-type]
LISTED: Final = replace(TOY, under_test=_called("listed", tells=["Started"]))
PORTS: Final = replace(TOY, under_test=_called("ports"), ports=-1)
NOBODY: Final = System(None, _raises)  # type: ignore[arg-type]
READY: Final = replace(TOY, under_test=_called("ready"), ready=_raises)
RAISING: Final = ("members", "unfit", "cannot", "retold", "install", "missing", "ready")
HERE: Final = "tests.harness.systems.of_others"
