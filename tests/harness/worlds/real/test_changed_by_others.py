"""Any user of the machine can change the proxies of our server: whatever they change is noticed, and told once."""

from collections.abc import Callable

import pytest
from tests.harness.worlds.real.fabric_helpers import Receiver, Told, client_of, receiving
from tests.lengths import one_in
from tests.waiting import until

from shaketable.harness.faults.links import LinkState
from shaketable.harness.worlds.real.fabric import LinkFabric, LinkPorts, free_ports
from shaketable.harness.worlds.real.switchboard import Switchboard
from shaketable.harness.worlds.real.toxiproxy import Client

Meddle = Callable[[Client, str], object]
MEDDLES: dict[str, tuple[Meddle, str]] = {
    "redirected": (
        lambda client, name: client._http.post(f"{client._base}/proxies/{name}", json={"upstream": "127.0.0.1:9"}),
        "upstream is 127.0.0.1:9, not 127.0.0.1:",
    ),
    "cut": (lambda client, name: client.enable(name, False), "enabled is False, not True"),
    "deleted": (lambda client, name: client.delete(name), "its proxy is gone"),
    "slowed down": (
        lambda client, name: client.add_toxic(name, "theirs", "latency", "upstream", {"latency": 500, "jitter": 0}, 1),
        "theirs (upstream latency), not ours",
    ),
}


async def two_links(fabric: LinkFabric, receiver: Receiver) -> list[str]:
    links = [LinkPorts(f"n1->n{i}", port, receiver.port) for i, port in enumerate(free_ports(2), 2)]
    await fabric.open(links)
    return [link.name for link in links]


@pytest.mark.parametrize("how", one_in(2, MEDDLES))
async def test_a_change_by_somebody_else_is_noticed_and_told_once(
    how: str, fabric: LinkFabric, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddle, wrong = MEDDLES[how]
    looks: list[list[str]] = []
    look = Switchboard.changed_by_others

    def counted(board: Switchboard) -> list[str]:
        found = look(board)
        looks.append(found)
        return found

    monkeypatch.setattr(Switchboard, "changed_by_others", counted)
    async with receiving() as receiver:
        first, second = await two_links(fabric, receiver)
        await fabric.apply(second, LinkState(blackhole=True))  # a change of ours is none of theirs
        meddle(client_of(fabric), first)
        await until(lambda: bool(told.others))
        noticed = len(looks)
        await until(lambda: len(looks) >= noticed + 2)
        assert looks[-1] != []
    (said,) = told.others
    assert f"is not as it was left: link {first}: " in said
    assert wrong in said
    assert second not in said
    assert told.trouble == []
