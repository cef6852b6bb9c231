"""The way from one state of a link to another: never a removal, and as few broken connections as can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaketable.harness.faults.links import SOUND, LinkState, Slices
from shaketable.harness.worlds.real.link_plan import BACK, KINDS, THERE, Placed, change

CUT = LinkState(cut=True)
BLACKHOLE = LinkState(blackhole=True)
SLOW = LinkState(latency=50_000)
THIN = LinkState(rate=10_000)
SLICED = LinkState(slices=Slices())

AFRESH, SWITCH, ENABLE, NOTHING = "afresh", "switch", "enable", "nothing"


def way(*states: LinkState) -> str:
    """What the last of these changes does, after all those before it on a sound link."""
    now = Placed()
    for state in states[:-1]:
        now = change(now, state).then
    last = change(now, states[-1])
    if last.fresh:
        return AFRESH
    if last.add or last.switch:
        return SWITCH
    return NOTHING if last.enable is None else ENABLE


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ((SOUND,), NOTHING),
        ((CUT,), ENABLE),
        ((CUT, SOUND), ENABLE),
        ((BLACKHOLE,), SWITCH),
        ((BLACKHOLE, SOUND), SWITCH),
        ((SLOW, SOUND), SWITCH),
        ((SLOW, LinkState(latency=90_000)), SWITCH),
        ((THIN,), SWITCH),
        ((THIN, SOUND), AFRESH),
        ((THIN, LinkState(rate=20_000)), AFRESH),
        ((SLICED, SOUND), AFRESH),
        ((THIN, LinkState(rate=10_000, blackhole=True)), SWITCH),
        ((SLICED, LinkState(slices=Slices(), rate=10_000)), AFRESH),
        # A cut leaves the toxics alone; if they are to be others afterwards, the proxy is made anew.
        ((SLOW, CUT), ENABLE),
        ((SLOW, CUT, SLOW), ENABLE),
        ((SLOW, CUT, SOUND), AFRESH),
        ((THIN, LinkState(cut=True, rate=10_000), THIN), ENABLE),
    ],
)
def test_the_way(states: tuple[LinkState, ...], expected: str) -> None:
    assert way(*states) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((BLACKHOLE, SOUND), (SOUND, SOUND)),
        ((SOUND, BLACKHOLE), (SOUND, SOUND)),
        ((BLACKHOLE, BLACKHOLE), (SOUND, BLACKHOLE)),
        ((BLACKHOLE, SOUND), (SLOW, SOUND)),
    ],
)
def test_no_connection_goes_on_with_a_gap(
    before: tuple[LinkState, LinkState], after: tuple[LinkState, LinkState]
) -> None:
    silent = change(Placed(), *before)
    assert not silent.fresh
    assert change(silent.then, *after).fresh
    assert not change(silent.then, *before).fresh


states = st.builds(
    LinkState,
    cut=st.booleans(),
    blackhole=st.booleans(),
    latency=st.sampled_from([0, 50_000, 90_000]),
    jitter=st.sampled_from([0, 10_000]),
    rate=st.sampled_from([None, 10_000, 20_000]),
    slices=st.sampled_from([None, Slices()]),
)


@given(st.lists(st.tuples(states, states), min_size=1, max_size=12))
def test_wherever_it_came_from_a_link_ends_as_it_was_asked_for(path: list[tuple[LinkState, LinkState]]) -> None:
    """And so does the one back, where its connections carry both."""
    now: Placed | None = None
    for state, back in path:
        plan = change(now, state, back)
        server = [] if plan.fresh or now is None else list(now.toxics)
        for toxic in plan.switch:
            (index,) = (i for i, held in enumerate(server) if held.called == toxic.called)
            server[index] = toxic
        server += plan.add
        server.sort(key=lambda toxic: toxic.way == BACK)  # as a real one tells them
        assert tuple(server) == plan.then.toxics
        now = plan.then
        assert now.enabled is not state.cut
        for way, suffers in ((THERE, state), (BACK, back)):
            held = [toxic for toxic in now.toxics if toxic.way == way]
            names = [toxic.name for toxic in held]
            assert names == [name for name in KINDS if name in names], "in their order, and none twice"
            if not state.cut:
                slow = bool(suffers.latency or suffers.jitter)
                wanted = [suffers.blackhole, slow, suffers.rate is not None, suffers.slices is not None]
                awake = {toxic.name for toxic in held if toxic.awake}
                assert awake == {name for name, want in zip(KINDS, wanted, strict=True) if want}
