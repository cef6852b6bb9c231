"""Which scripts a system can play is found before anything starts, by a trial on our own members."""

from dataclasses import replace

import msgspec
import pytest
from tests.where import DOCS

from shaketable import SECOND, Cluster, script
from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Action, Begin
from shaketable.harness.faults.table import Pause
from shaketable.harness.otherwise import OTHERWISE
from shaketable.harness.records import UnderTest
from shaketable.harness.runs.fitting import Kind, Unfit, fitting, why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_named
from shaketable.harness.systems import registry
from shaketable.harness.systems.ours import OurMembers
from shaketable.harness.systems.system import System
from shaketable.node import events
from shaketable.node.config import Settings

ALL_BUT_SUSPICIONS = tuple(
    name
    for name, kind in vars(events).items()
    if isinstance(kind, type) and issubclass(kind, events.Event) and kind not in (events.Event, events.Suspected)
)


def _unfit(settings: Settings) -> str:
    return "" if settings.partition_count == 271 else "it takes 271 partitions and no others"


def _cannot(action: Action) -> str:
    return "it cannot be paused" if isinstance(action, Begin) and isinstance(action.fault, Pause) else ""


OTHER = System(
    UnderTest(name="other", title="Other", tells=ALL_BUT_SUSPICIONS),
    lambda under_test: OurMembers(),
    unfit=_unfit,
    cannot=_cannot,
    both_ways=True,
    preset="default",
    settings={"heartbeat_interval_seconds": 1, "heartbeat_timeout_seconds": 5},
)
AGAINST = Options("real", system="other")


@pytest.fixture(autouse=True)
def _other(monkeypatch: pytest.MonkeyPatch) -> None:
    named = registry.named
    monkeypatch.setattr(registry, "named", lambda name: OTHER if name == "other" else named(name))


def named(name: str) -> Script:
    (found,) = scripts_named([name])
    return found


@script
async def cut_one_way_and_heal(cluster: Cluster) -> None:
    """A link is cut one way."""
    await cluster.form("n1", "n2", "n3")
    await cluster.cut("n1", "n2", one_way=True)


@script
async def cut_both_ways(cluster: Cluster) -> None:
    """A pair is cut."""
    await cluster.form("n1", "n2", "n3")
    await cluster.cut("n1", "n2")
    await cluster.calm()


@script(about=["detection"])
async def is_about_suspicions(cluster: Cluster) -> None:
    """Three nodes form a cluster."""
    await cluster.form("n1", "n2", "n3")


@script
async def waits_for_a_suspicion(cluster: Cluster) -> None:
    """The script wants to see that somebody is suspected."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n3")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=60 * SECOND)


@script(unless="any_best")
async def the_older_one_stays(cluster: Cluster) -> None:
    """It is about who of two stays."""
    await cluster.form("n1")


@script
async def waits_for_another_version(cluster: Cluster) -> None:
    """The script wants to see a list that nobody makes."""
    await cluster.form("n1", "n2")
    await cluster.until(cluster.that.has_list("n1", version=7, members=["n1", "n2"]), within=SECOND)


@script
async def takes_its_time(cluster: Cluster) -> None:
    """It takes six minutes."""
    await cluster.form("n1")
    await cluster.sleep(360 * SECOND)


def test_kill_the_master_fits_and_only_what_does_not_fit_is_left_out() -> None:
    kill, pause = named("kill-the-master"), named("pause-a-node")
    here, others = fitting(AGAINST, [kill, pause])
    assert here == [kill]
    assert [(each.script, each.why) for each in others] == [("pause-a-node", "it cannot be paused")]


@pytest.mark.parametrize(
    ("asked", "unfit"),
    [
        (
            cut_one_way_and_heal,
            Unfit(
                Kind.ONE_WAY,
                "it cuts n1->n2 alone; its connections carry both directions, so no link can be cut one way",
            ),
        ),
        (cut_both_ways, None),
        (is_about_suspicions, Unfit(Kind.ABOUT, "it is about detection: Other does not tell Suspected")),
        (named("the-owner-crashes"), Unfit(Kind.SETTINGS, "it takes 271 partitions and no others")),
    ],
    ids=lambda each: each.name if isinstance(each, Script) else "",
)
def test_each_reason_is_of_a_kind(asked: Script, unfit: Unfit | None) -> None:
    assert why_not(asked, AGAINST) == unfit


@script(about=["settled"], expects_violation="detection")
async def shows_a_broken_detection(cluster: Cluster) -> None:
    """Nobody is suspected."""
    await cluster.form("n1")


def test_what_is_to_be_broken_has_to_be_told() -> None:
    said = "it expects detection to be broken: Other does not tell Suspected"
    assert why_not(shows_a_broken_detection, AGAINST) == Unfit(Kind.ABOUT, said)


def test_a_script_is_left_out_where_the_system_does_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_not(the_older_one_stays, AGAINST) is None
    monkeypatch.setattr("shaketable.harness.runs.fitting._tried", None)
    lax = replace(OTHER, under_test=msgspec.structs.replace(OTHER.under_test, any_best=True))
    monkeypatch.setattr(registry, "named", lambda name: lax)
    said = "Other does otherwise: of equally large lists any may stay"
    assert why_not(the_older_one_stays, AGAINST) == Unfit(Kind.OTHERWISE, said)


def test_whatever_a_system_may_do_otherwise_has_its_words() -> None:
    flags = {field.name for field in msgspec.structs.fields(UnderTest) if field.default is False}
    assert flags == OTHERWISE.keys()
    page = (DOCS / "systems.md").read_text(encoding="utf-8")
    assert "\n".join(f"| `{flag}` | {words} |" for flag, words in OTHERWISE.items()) in page


def test_a_script_that_waits_for_what_is_not_told_is_found() -> None:
    unfit = why_not(waits_for_a_suspicion, AGAINST)
    assert unfit is not None
    assert unfit.kind is Kind.WAITS
    assert unfit.why.startswith("it waits for what Other does not tell: ")
    assert "n1 suspects n3" in unfit.why


def test_a_script_that_does_not_hold_on_ours_either_is_told_apart() -> None:
    unfit = why_not(waits_for_another_version, AGAINST)
    assert unfit is not None
    assert unfit.kind is Kind.TIMES
    assert unfit.why.startswith("with the times of Other it does not hold on our own members: ")


def test_a_script_that_takes_too_long_is_found_and_may_be_given_more_time() -> None:
    unfit = why_not(takes_its_time, AGAINST)
    assert unfit is not None
    assert unfit.kind is Kind.TIME
    assert why_not(takes_its_time, Options("real", system="other", limit=400.0)) is None


def test_what_has_no_simulated_world_is_refused_there() -> None:
    with pytest.raises(UserError, match="--system other: it has no simulated world; leave out --world sim"):
        fitting(Options("sim", system="other"), [named("kill-the-master")])


def test_ours_plays_all_without_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shaketable.harness.runs.fitting._tried", None)
    assert why_not(cut_one_way_and_heal, Options("real")) is None
