"""`shaketable replay` and `shaketable tui`: from their arguments to the screens. Textual is loaded last of all."""

from __future__ import annotations

import argparse
import asyncio
import gc
import math
import os
import shlex
import sys
from pathlib import Path

from shaketable.harness.console.values import values_of
from shaketable.harness.errors import UserError
from shaketable.harness.history.times import time_said
from shaketable.harness.runs.directory import RUN, run_in
from shaketable.harness.systems.registry import chosen
from shaketable.harness.verdicts.verdict import UNKNOWN_OUTCOME
from shaketable.tui.engine.facts import MOST_NODES, USUAL_NODES, USUAL_SPEED, look_at, words_without_secrets
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.kept import of_this_user
from shaketable.tui.preferences import Preferences, preferences
from shaketable.tui.source import Recorded, Source


def run(options: argparse.Namespace) -> int:
    set_by_user = preferences()
    if options.command == "replay":
        source = Recorded(run_in(Path(options.run)), _time_of(options.at))
        if options.plain:
            from shaketable.tui.plain.show import told

            told(source)
            return 0
        needs_a_terminal()
        return show(source, set_by_user)
    begin = begin_of(options)
    known = look_at(begin)
    if begin.system:
        system, under_test = chosen(begin.system)
        system.install(under_test, print)  # before a screen opens: to fetch what it needs may take a minute, once
    if begin.toxiproxy and begin.world == "real":
        _ask_for(begin.toxiproxy)
    if options.plain and (options.serve or options.port is not None):
        raise UserError("--plain is for a terminal or a pipe, and --serve for a browser: give one of them")
    if options.serve or options.port is not None:
        from shaketable.tui.serving import USUAL_PORT, serve

        port = USUAL_PORT if options.port is None else options.port
        if not options.serve or not 0 < port < 65536:
            raise UserError(f"--port {port}: give 1 to 65535, with --serve")
        words, variables = words_without_secrets(begin)
        os.environ.update(variables)
        return serve(words, port)
    from shaketable.tui.engine.client import Engine

    engine = Engine(begin, known)
    if options.plain:
        from shaketable.tui.plain.show import followed

        followed(engine)
        return _left(engine)
    needs_a_terminal()
    return show(engine, set_by_user, tour=not begin.script)


def begin_of(options: argparse.Namespace) -> Begin:
    """Faults of the arguments are told before a screen opens."""
    if options.script and options.nodes is not None:
        raise UserError("--nodes is for a session that is driven by hand: a script says itself which nodes it forms")
    if options.world == "real" and options.speed is not None:
        raise UserError("--speed is for --world sim: real time can neither be changed nor halted")
    nodes = USUAL_NODES if options.nodes is None else options.nodes
    if not 1 <= nodes <= MOST_NODES:
        raise UserError(f"--nodes {nodes}: give 1 to {MOST_NODES}")
    return Begin(
        world=options.world,
        seed=options.seed,
        preset=options.preset,
        nodes=nodes,
        script=options.script or "",
        values={name: str(value) for name, value in values_of(options.values).items()},
        toxiproxy=options.toxiproxy,
        system=options.system,
        speed=_speed_of(options.speed),
    )


def _ask_for(toxiproxy: str) -> None:
    """The links' server that the user named has to be there: that is known before a screen opens."""
    from shaketable.harness.worlds.real.fabric_server import ForeignServer
    from shaketable.harness.worlds.real.toxiproxy_server import find_server

    found = find_server(toxiproxy)
    if found.kind == "url":
        server = ForeignServer(found, asyncio.to_thread)
        try:
            asyncio.run(server.start())
        finally:
            server.client.close()


def _time_of(said: str | None) -> str:
    """Its faults are told before anything is read."""
    if said is not None:
        try:
            time_said(said, 0, 0)
        except UserError as error:
            raise UserError(f"--at {said}: {error}") from None
    return said or ""


def _speed_of(said: str | None) -> float | None:
    if said is None:
        return USUAL_SPEED
    if said == "max":
        return None
    try:
        speed = float(said)
    except ValueError:
        speed = math.nan
    if not 0 <= speed < math.inf:
        raise UserError(f"--speed {said}: give 0 or more virtual seconds a second, or max")
    return speed


def show(source: Source, set_by_user: Preferences | None = None, *, tour: bool = False) -> int:
    """`tour`: the first time that somebody sees the screens, they are explained."""
    return asyncio.run(_shown(source, set_by_user, tour))


def collect_little_at_a_time() -> None:
    """A long history is a million objects that stay: to look through them all again and again would make keys wait. The
    garbage of drawing is collected often and little at a time: 200,000 objects at once take 0.2 s."""
    gc.freeze()
    gc.set_threshold(20_000, 5, 200)


async def _shown(source: Source, set_by_user: Preferences | None, tour: bool) -> int:
    await source.start()  # an engine and its nodes come up while Textual is loaded
    from shaketable.tui.app import ShaketableApp

    collect_little_at_a_time()
    keeper = of_this_user()
    app = ShaketableApp(source, keeper, set_by_user, tour=tour and not keeper.kept.toured)
    code = await app.run_async() or 0
    if app.broken_by is not None:
        await app.source.close()  # it may have ended before it could
    _left(app.source)
    if app.broken_by is not None:
        raise app.broken_by
    return code


def _left(source: Source) -> int:
    """The screens are gone: says where the run is recorded."""
    recorded, ended = source.session.facts.directory, source.session.ended
    if not isinstance(source, Recorded) and (Path(recorded) / RUN).exists() and not _served():
        print(f"recorded: shaketable replay {shlex.quote(recorded)}")  # noqa: T201
    if ended is not None and ended.outcome == UNKNOWN_OUTCOME and ended.reasons and not len(source.session.store):
        raise UserError(ended.reasons[0])  # it never began
    return 0


def needs_a_terminal() -> None:
    """Served to a browser the screens have none, and need none."""
    if _served():
        return
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UserError("the screens need a terminal: standard input, output and error must all be one")


def _served() -> bool:
    return "TEXTUAL_DRIVER" in os.environ
