"""Ten thousand requests by chance to the members of a simulated cluster: each is answered, and no member minds."""

from __future__ import annotations

import json
import random

from tests.lengths import cases
from tests.node.rest import fuzzed
from tests.node.rest.rest_cases import OPEN

from shaketable.harness.faults.actions import Http, NoEffect, Receipt, Start
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import FAST
from shaketable.node.core.env import SECOND
from shaketable.node.events import JoinAddressesChanged
from shaketable.node.legacy import make_member

NAMES = ("n1", "n2", "n3")
STATUSES = {200, 400, 403, 404, 405, 413, 415, 500}


@cases(2_000, 10_000)
def test_no_request_hurts_a_member(count: int) -> None:
    world, answers = SimWorld(1, FAST.with_values(OPEN), make_member), list[Receipt | NoEffect]()
    rng = random.Random(1)
    for name in NAMES:
        world.act(Start((name,), NAMES), lambda receipt: None)
        world.run(lambda name=name: world.nodes[name].member.membership.joined)  # type: ignore[misc]
    seen: dict[int, int] = {}
    changes = 0
    for _ in range(count):
        name, asked = rng.choice(NAMES), fuzzed.request(rng)
        before = world.nodes[name].member.addresses.configured
        answers.clear()
        world.act(Http(name, asked, 60 * SECOND), answers.append)
        world.run(lambda: bool(answers))
        (receipt,) = answers
        assert isinstance(receipt, Receipt), asked
        response = receipt.response
        assert response is not None
        told = json.loads(response.body)
        seen[response.status] = seen.get(response.status, 0) + 1
        now = [world.nodes[each].member.addresses.configured for each in NAMES]
        if response.status == 200:
            assert told["status"] == "success"
            assert now == [tuple(told["member-list"])] * len(NAMES)
            changes += asked.method == "POST"
        else:
            assert told == {"status": "fail", "message": told["message"]}
            assert now == [before] * len(NAMES)
            assert "s3cret" not in told["message"]
    assert not world.failures
    assert STATUSES - {413, 500} <= set(seen) <= STATUSES, seen
    assert changes > 100
    taken = [record for record in world.records if isinstance(record.event, JoinAddressesChanged)]
    assert len(taken) == changes * len(NAMES)
