"""The picture of a run: what each node believed, and which messages the history tells of."""

from __future__ import annotations

from tests.harness.reports.told_runs import CRASH, crash, quiet, told
from tests.notation.notation import history_of

from shaketable.harness.history import signs as p
from shaketable.harness.reports.arrows import arrows_of
from shaketable.harness.reports.beliefs import MOST_BELIEFS, Belief
from shaketable.harness.reports.picture import MOST_ARROWS, Picture, numbers_of, picture_of


def in_words(belief: Belief) -> str:
    """ "member, follows n1, holds v3 [n1 n2 n3] by n1, suspects n2"."""
    parts = [belief.state]
    if belief.follows:
        parts.append(f"follows {belief.follows}")
    if belief.version:
        parts.append(f"holds v{belief.version} [{' '.join(belief.members)}] by {belief.author}")
    if belief.suspects:
        parts.append(f"suspects {' '.join(belief.suspects)}")
    if belief.claims:
        parts.append("claims the mastership")
    return ", ".join(parts)


def of(node: str, picture: Picture) -> list[str]:
    lane = next(lane for lane in picture.lanes if lane.node == node)
    return [f"{belief.time // 1000} ms: {in_words(belief)}" for belief in lane.beliefs]


def test_what_a_node_believed_changes_with_its_own_words() -> None:
    run, records = crash()
    picture = picture_of(records, run)
    assert [lane.node for lane in picture.lanes] == ["n1", "n2", "n3"]
    assert of("n2", picture)[-4:] == [
        "10 ms: member, follows n1, holds v3 [n1 n2 n3] by n1, suspects n1",
        "11 ms: master, follows n2, holds v3 [n1 n2 n3] by n1, suspects n1, claims the mastership",
        "15 ms: master, follows n2, holds v3 [n1 n2 n3] by n1, suspects n1",
        "17 ms: master, follows n2, holds v5 [n2 n3] by n2",
    ]
    assert of("n1", picture)[-1] == "9 ms: crashed"


def test_a_paused_a_held_and_a_refused_node_are_shown_so() -> None:
    story = """
n1 installs v1 [n1]
n2 installs v2 by n1 [n1 n2]
fault 1: pause n2
fault 1 ends
n2 holds
n2 goes on
n3 is refused: another cluster
"""
    run, records = told("paused", story)
    picture = picture_of(records, run)
    states = [belief.state for belief in picture.lanes[1].beliefs]
    assert states[-5:] == [p.MEMBER, p.PAUSED, p.MEMBER, p.HELD, p.MEMBER]
    assert [belief.state for belief in picture.lanes[2].beliefs][-1] == p.REFUSED


def test_a_message_leads_from_its_sending_to_its_coming() -> None:
    told_of = [
        f"{arrow.what} {arrow.sender}->{arrow.receiver} {arrow.sent // 1000}"
        f"{'' if arrow.arrived is None else f'..{arrow.arrived // 1000}'} {arrow.words}".strip()
        for arrow in arrows_of(history_of(CRASH))
    ]
    assert "list n1->n2 3..5 v3" in told_of
    assert "claim n2->n3 12..13" in told_of
    assert "answer n3->n2 13..14 accepted" in told_of


def test_of_a_message_that_nobody_got_the_arrow_ends_on_its_way() -> None:
    arrows = arrows_of(history_of("n1 installs v1 [n1]\nn2 installs v2 by n1 [n1 n2]\nn2 claims\nn2 asks n1"))
    (asked,) = (arrow for arrow in arrows if arrow.what == "claim")
    assert (asked.arrived, asked.good) == (None, False)


def test_who_ignores_a_list_again_and_again_is_no_message_of_note() -> None:
    story = "n1 installs v1 [n1]\nn2 installs v2 by n1 [n1 n2]\n"
    story += "n2 ignores v2 by n1 (not newer)\nn2 ignores v1 by n1 (too old)"
    assert [arrow.words for arrow in arrows_of(history_of(story)) if not arrow.good] == ["v1"]


def test_the_proof_is_marked_and_looked_at_first() -> None:
    run, records = crash()
    picture = picture_of(records, run)
    assert run.outcome == "failed"
    assert sorted(numbers_of(run).values()) == [mark.number for mark in picture.marks] != []
    last = picture.marks[-1]
    begin, end = picture.focus
    assert begin <= last.time <= end == picture.end
    assert begin <= picture.bands[0].began, "with the fault before it"


def test_without_a_proof_the_whole_run_is_looked_at() -> None:
    run, records = quiet()
    picture = picture_of(records, run)
    assert (picture.focus, picture.marks) == ((0, picture.end), ())


def test_more_than_a_page_holds_is_left_out_and_said() -> None:
    again = "".join(f"n2 suspects n1\nn2 trusts n1\nn2 ignores v{n} by n1 (too old)\n" for n in range(900))
    run, records = told("long", f"n1 installs v1 [n1]\nn2 installs v2 by n1 [n1 n2]\n{again}")
    picture = picture_of(records, run)
    assert sum(len(lane.beliefs) for lane in picture.lanes) == MOST_BELIEFS
    assert len(picture.arrows) == MOST_ARROWS
    assert "400 messages" in picture.left_out
