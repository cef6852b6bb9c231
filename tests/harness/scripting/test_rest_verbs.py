"""The member list over HTTP as a script sees it: what it is answered, and what it is told when nobody can answer."""

from __future__ import annotations

import pytest

from shaketable.harness.records import FaultWithoutEffect
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.outcome import Outcome
from shaketable.harness.scripting.scripts import Body, script

OPEN = {"rest_enabled": True, "rest_groups": "CLUSTER_READ CLUSTER_WRITE", "cluster_password": "s3cret"}


def outcome(body: Body, **settings: object) -> Outcome:
    made = script(about=["settled"], settings={**OPEN, **settings})(body)
    return run_simulated(made, Options(seed=1, preset="fast")).outcome


def test_it_reads_and_changes_the_list_by_names() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1", "n2")
        read = await cluster.member_list("n2")
        assert (read.status, read.ok, read.message, read.members) == (200, True, "", ("n1", "n2"))
        changed = await cluster.set_member_list("n2", ["n2", "10.0.0.1"])
        assert changed.message == "The member list of TCP-IP join config is updated at run time. "
        assert (await cluster.member_list("n1")).members == ("n2", "10.0.0.1")
        assert (await cluster.set_member_list("n1", "n1")).members == ("n1",)

    assert outcome(story).kind == "done"


def test_who_does_not_wait_goes_on_and_the_list_is_taken_beside_it() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1", "n2")
        before = cluster.seen.now()
        await cluster.set_member_list("n2", ["n2"], wait=False)
        assert cluster.seen.now() == before
        await cluster.sleep(cluster.settings.heartbeat_interval)
        assert (await cluster.member_list("n1")).members == ("n2",)
        await cluster.set_member_list("n2", ["n1"], wait=False)
        await cluster.kill("n2")
        await cluster.calm()

    assert outcome(story).kind == "done", "that nobody answers is no matter of the script"


def test_a_node_with_settings_of_its_own_is_asked_by_them() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1")
        await cluster.join("n2", settings={"cluster_password": "another", "rest_groups": "CLUSTER_WRITE"})
        assert (await cluster.set_member_list("n2", ["n1"])).ok
        refused = await cluster.member_list("n2")
        assert (refused.status, refused.message) == (403, "the endpoint group CLUSTER_READ is not enabled")

    assert outcome(story).kind == "done"


def test_a_file_counts_when_it_is_read() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1", "n2")
        await cluster.write_config_file("n2", ["n2", "10.0.0.1"])
        assert (await cluster.member_list("n2")).members == ("n1", "n2")
        assert (await cluster.reload_config("n1")).members == ("n1", "n2")
        assert (await cluster.reload_config("n2")).members == ("n2", "10.0.0.1")
        assert (await cluster.member_list("n1")).members == ("n2", "10.0.0.1")
        await cluster.write_config_file("n2", "tcp-ip: {member-list: [127.0.0.1:5702]}")
        assert (await cluster.reload_config("n2")).members == ("n2",)
        await cluster.write_config_file("n2", "a" * 70_000)
        told = await cluster.reload_config("n2")
        assert (told.status, told.message) == (400, "the file that this node was started with cannot be read")
        assert (await cluster.member_list("n1")).members == ("n2",)

    assert outcome(story).kind == "done"


def test_a_document_is_written_of_names_or_given_as_it_is() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1", "n2")
        assert (await cluster.update_config("n2", ["n2", "10.0.0.1"])).ok
        assert (await cluster.member_list("n1")).members == ("n2", "10.0.0.1")
        assert (await cluster.update_config("n1", "tcp-ip: {member-list: [127.0.0.1:5701]}")).members == ("n1",)
        refused = await cluster.update_config("n1", "map: {}")
        assert refused.message == "hazelcast.map cannot be changed at run time, only tcp-ip.member-list can"

    assert outcome(story).kind == "done"


async def nobody_listens(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.member_list("n1")


async def it_sleeps(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.pause("n1")
    await cluster.member_list("n1")


async def it_is_killed_while_it_is_asked(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1", "n2")
    await cluster.pause("n2")
    await cluster.together(cluster.set_member_list("n1", ["n1"]), cluster.kill("n1"))


async def it_is_gone(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.kill("n1")
    await cluster.member_list("n1")


async def it_never_was(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.member_list("n2")


async def it_has_no_file(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.write_config_file("n1", ["n1"])


async def its_file_cannot_be_written(cluster: Cluster) -> None:
    """A story."""
    await cluster.form("n1")
    await cluster.write_config_file("n1", "\udcff")


@pytest.mark.parametrize(
    ("story", "settings", "why"),
    [
        (nobody_listens, {"rest_enabled": False}, "n1 does not listen for HTTP requests: set rest_enabled"),
        (it_sleeps, {}, "n1 does not answer within 15.05 s"),
        (it_is_killed_while_it_is_asked, {}, "n1 ended: killed"),
        (it_is_gone, {}, "n1 is not running"),
        (it_never_was, {}, "n2 is not a node of this run (n1)"),
        (it_has_no_file, {"rest_enabled": False}, "n1 has no file of its configuration: set rest_enabled"),
        (its_file_cannot_be_written, {}, "a configuration is a text in UTF-8: this one cannot be written so"),
    ],
)
def test_who_cannot_answer_makes_the_run_unknown(story: Body, settings: dict[str, object], why: str) -> None:
    ended = outcome(story, **settings)
    assert ended.kind == "unknown"
    assert ended.reason.endswith(why), ended.reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (70_000 * "#", ", cannot be read"),
        ("cluster-name: x", ": hazelcast.cluster-name cannot be changed at run time, only tcp-ip.member-list can"),
    ],
)
def test_who_cannot_start_by_its_file_says_so(text: str, why: str) -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1")
        await cluster.write_config_file("n1", text)
        await cluster.kill("n1")
        await cluster.restart("n1")

    made = script(about=["settled"], settings=OPEN)(story)
    records = run_simulated(made, Options(seed=1, preset="fast")).records
    assert [record.event.reason for record in records if isinstance(record.event, FaultWithoutEffect)] == [
        f"n1.yaml, its configuration{why}"
    ]


def test_the_same_requests_give_the_same_history() -> None:
    async def story(cluster: Cluster) -> None:
        """A story."""
        await cluster.form("n1", "n2", "n3")
        await cluster.together(cluster.set_member_list("n2", ["n1"]), cluster.set_member_list("n3", ["n2"]))
        assert len({(await cluster.member_list(name)).members for name in ("n1", "n2", "n3")}) == 1

    made = script(about=["settled"], settings=OPEN)(story)
    first, second = (run_simulated(made, Options(seed=7, preset="fast")).records for _ in range(2))
    assert first == second
