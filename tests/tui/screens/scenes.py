"""What the pictures of the screens show: which run, at which moment, after which keys.

Time stands: nothing lives in them, no clock runs and no process is measured."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.harness.systems.toy import REFUSALS, TOY
from tests.tui.acting import Living
from tests.tui.model.conftest import written as written_run
from tests.tui.panels.stories import session_of
from tests.tui.screens.shot import Shot, shoot, written
from tests.tui.showing import Shown, drawn, until
from textual.pilot import Pilot

from shaketable.chaos.legacy.legacy_faults import no_stale_overwrite
from shaketable.harness.history.words.cluster import tell
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.runs.side_by_side import SideBySide, beside
from shaketable.tui.app import ShaketableApp
from shaketable.tui.dialogs.two_runs import TwoRuns
from shaketable.tui.model.session import Session
from shaketable.tui.source import Source
from shaketable.tui.theme import DARK, LIGHT
from shaketable.tui.widgets.panel import Panel

FIGURE_5: Final = ("chaos/migration/figure_5_under_load.py", "figure-5-under-load-decided-cut", 1)
CLAIMS: Final = ("chaos/cluster/claims.py", "two-claims-at-once", 3)
MANY: Final = ("tests/tui/panels/links_and_data.py", "many-partitions", 1)
FAULTS: Final = ("tests/tui/panels/links_and_data.py", "every-fault", 1)
MISSED: Final = ("chaos/legacy/legacy_faults.py", "legacy-missed-removal", 3)
OVERWRITE: Final = ("chaos/legacy/legacy_faults.py", "no-stale-overwrite", 1)
NEIGHBOURS: Final = ("chaos/groups/group_members.py", "group-neighbours-crash-ring", 1)
SILENT: Final = ("chaos/groups/group_members.py", "group-neighbours-fall-silent-ring", 1)
OF_MANY: Final = "tests/tui/panels/figure_5_of_many.py"
LIVING: Final = ("", "", 0)
"""a run that can be broken by hand"""
OF_A_TOY: Final = ("", "", 1)
"""the same, of a system that others wrote"""
SIZES: Final = ((80, 24), (120, 40))
LARGE: Final = (200, 60)
SETTLED: Final = 2
"""frames in a row that show the same"""
FRAMES: Final = 300


@dataclass(frozen=True)
class Scene:
    name: str
    run: tuple[str, str, int]
    at: str = ""
    """just after the first event that is told so; "": at the end"""
    keys: tuple[str, ...] = ()
    about: str = ""
    """of the picture of it in the manual; "": none"""
    node: str = ""
    other: str = ""
    sizes: tuple[tuple[int, int], ...] = SIZES
    long: bool = False
    """left to the long tests"""
    compares: bool = False
    """a run that passed and one that failed are before it"""

    def session(self) -> Session:
        file, name, seed = self.run
        session = session_of(file, name, seed, with_verdict=True)
        store = session.store
        place = next((p + 1 for p in range(len(store)) if self.at and self.at in tell(store[p], store.names)), 0)
        assert place or not self.at, f"nothing is told so: {self.at}"
        session.move(place or len(store))
        session.work(math.inf)
        session.lanes.work(math.inf)
        session.chosen.node, session.chosen.other = self.node, self.other
        return session

    def source(self) -> Source:
        if self.run == OF_A_TOY:
            return Living("real", system=TOY.under_test, cannot=REFUSALS)
        return Living() if self.run == LIVING else Shown(self.session())

    @asynccontextmanager
    async def shown(self, width: int, height: int) -> AsyncIterator[Pilot[int]]:
        app = ShaketableApp(self.source())
        app.animation_level = "none"
        async with app.run_test(size=(width, height)) as pilot:
            await settled(pilot)
            await pilot.press(*self.keys)
            if self.compares:
                await compared(app, pilot)
            await settled(pilot)
            yield pilot


@cache
def passed_and_failed() -> SideBySide:
    with TemporaryDirectory() as folder:
        good, bad = Path(folder) / "good", Path(folder) / "bad"
        for path, values in ((good, dict[str, str]()), (bad, {"legacy_fault": "stale overwrite"})):
            written_run(run_simulated(no_stale_overwrite, Options("sim", seed=1, values=values)), path)
        return beside(good, bad)


async def compared(app: ShaketableApp, pilot: Pilot[int]) -> None:
    dialog = TwoRuns(app.session, passed_and_failed)
    await app.push_screen(dialog)
    await until(pilot, lambda: "▸" in "".join(drawn(dialog.query_one(Panel))))


SCENES: Final = (
    Scene(
        "cluster", FIGURE_5, "n1 is told by n4: suspects [n2]", node="n1",
        about="The cluster: figure 5 of the text on partial disconnection. n2 has lost n3 and n4, they complain to the "
        "master n1, and it has collected their reports.",
    ),
    *(
        Scene(
            f"figure-5-of-{size}", (OF_MANY, f"figure-5-of-{size}", 1), "n1 is told by n4: suspects [n2]",
            sizes=(*SIZES, LARGE), long=True,
        )
        for size in (5, 12, 30)
    ),
    Scene("why", FIGURE_5, "n1 removes n2", ("w",), sizes=(SIZES[0], LARGE), long=True),
    Scene(
        "two-runs", OVERWRITE, "n2 claims the mastership", compares=True,
        about="Two runs of one script, at the first moment where they differ: in the failed one n4 is forgotten.",
    ),
    Scene("claim", CLAIMS, "n3 is answered by n5", node="n3", about="A mastership claim, as its candidate has it."),
    Scene("difference", CLAIMS, "n3 is answered by n5", ("d",), node="n3", other="n5"),
    Scene(
        "group", NEIGHBOURS, "n2 tells its application: FAILURE_SUSPECTED of n3", node="n5",
        about="A group in a ring: n3 and n4, which watched it, have crashed. n4 has failed by now, n3 is in doubt.",
    ),
    Scene(
        "group-ring", SILENT, "n1 is told by n5 that it hears n4 no more", ("3",), node="n5",
        about="What the members of a group tell each other: the ring, whose links around n3 and n4 are black holes; n4 "
        "is silent to n5, which watches it; n3 and n4 lag behind the notifications of n1.",
    ),
    Scene(
        "links", FAULTS, "fault 9 took effect", ("2",), node="n1", other="n2",
        about="Every pair of nodes: what is done to the link, and what its ends say of it.",
    ),
    Scene(
        "partitions", MANY, "n1 sends n5 the commit of migration n1-28", ("3",),
        about="The partition map while a fifth node gets its share of the data.",
    ),
    Scene(
        "timeline", FIGURE_5, "n4 installs v5", ("4",), node="n2",
        about="The same run as a lane a node: faults as bands, views as marks.",
    ),
    Scene("checks", MISSED, "", ("5",), about="The guarantees; the broken one is proved by events."),
    Scene("events", FIGURE_5, "n1 is told by n4: suspects [n2]", ("6",), about="All events, or those of a filter."),
    Scene("script", FIGURE_5, "until n1, n3, n4 agree", ("7",), about="The steps of a script, its verdict, receipts."),
    Scene("break", LIVING, "", ("b", "down"), about="Breaking by hand."),
    Scene("break-another-system", OF_A_TOY, "", ("b", "d")),
    Scene("checks-of-another-system", OF_A_TOY, "", ("5",)),
    Scene("help", CLAIMS, "n3 is answered by n5", ("question_mark",)),
    Scene("too-small", CLAIMS, "", sizes=((59, 24), (80, 14))),
)  # fmt: skip


async def settled(pilot: Pilot[int]) -> Shot:
    """What stands there when nothing changes any more. Each frame is asked for, and not waited for."""
    assert isinstance(pilot.app, ShaketableApp)
    before, same = None, 0
    for _ in range(FRAMES):
        pilot.app.draw()
        pilot.app._frame()
        await pilot.pause(0)
        now = shoot(pilot.app)
        same = same + 1 if now == before else 0
        if same == SETTLED:
            return now
        before = now
    raise AssertionError("the screen never comes to rest")


async def snapshot(scene: Scene, width: int, height: int) -> str:
    async with scene.shown(width, height) as pilot:
        dark = await settled(pilot)
        assert pilot.app.theme == DARK
        pilot.app.theme = LIGHT
        light = await settled(pilot)
    return written(dark, light)
