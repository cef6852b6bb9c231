"""Of the check "message cost": heartbeats go to those that watch, and each member is watched (text 5.2.2).

All members find that out by themselves, from their view. So it is compared among those that have installed the same
one. Under all to all members send heartbeats to others that do not watch them as well. Under SWIM nobody sends any."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from shaketable.harness.checks.groups.reading import Told, has_owed, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.config import ALL_TO_ALL, Settings
from shaketable.node.events import HeartbeatTargets, ReadmissionAsked, ViewInstalled
from shaketable.node.messages import Address

Targets = Mapping[Address, Record[HeartbeatTargets]]
"""of those that have installed one view"""


class Watchers:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._views: dict[Told, Record[ViewInstalled]] = {}
        self._targets: dict[Told, dict[Address, Record[HeartbeatTargets]]] = {}

    def judge(self) -> None:
        for records in told(self._history, ViewInstalled, HeartbeatTargets, ReadmissionAsked).values():
            self._learn(records)
        for key, view in self._views.items():
            settings = self._settings(view.event)
            if settings is not None and not settings.swims:
                self._judge(view, self._targets.get(key, {}), settings)

    def _learn(self, records: list[Record]) -> None:
        view: Record[ViewInstalled] | None = None
        targets: Record[HeartbeatTargets] | None = None
        for record, following in zip_longest(records, records[1:]):
            if tells(record, ReadmissionAsked):
                view = None
            elif tells(record, ViewInstalled):
                view = record
            elif tells(record, HeartbeatTargets):
                if following is not None and tells(following, ReadmissionAsked):
                    continue  # it follows nobody any more
                targets = record
            if view is not None and targets is not None and has_owed(self._history, view.incarnation, view.time):
                self._keep(view, targets)

    def _keep(self, view: Record[ViewInstalled], targets: Record[HeartbeatTargets]) -> None:
        process = self._history.by_uuid.get(view.incarnation)
        if process is not None and process.member is not None:
            key = view.event.version, view.event.author
            self._views.setdefault(key, view)
            self._targets.setdefault(key, {})[process.member.address] = targets

    def _settings(self, view: ViewInstalled) -> Settings | None:
        """None: they are not all alike in this."""
        several = [self._all.settings_of(self._history.names.place(member.address)) for member in view.members]
        alike = {(own.gms_detection, own.gms_election, own.likely_successors) for own in several}
        return several[0] if len(alike) == 1 else None

    def _judge(self, view: Record[ViewInstalled], targets: Targets, settings: Settings) -> None:
        place = self._history.names.place
        for address, mine in targets.items():
            for other in mine.event.watched:
                if other in targets and address not in targets[other].event.to:
                    said = f"{place(address)} watches {place(other)}, which sends it no heartbeats"
                    self._accuse(view, said, mine, targets[other])
            for other in mine.event.to:
                watched = other not in targets or address in targets[other].event.watched
                if not watched and settings.gms_detection != ALL_TO_ALL:
                    said = f"{place(address)} sends its heartbeats to {place(other)}, which does not watch it"
                    self._accuse(view, said, mine, targets[other])
        if len(targets) < len(view.event.members):
            return
        watched_by_some = {other for mine in targets.values() for other in mine.event.watched}
        for address, mine in targets.items():
            if address not in watched_by_some and len(targets) > 1:
                self._accuse(view, f"nobody watches {place(address)}", mine)

    def _accuse(self, view: Record[ViewInstalled], said: str, *targets: Record) -> None:
        key = f"v{view.event.version} by {self._history.names.author(view.event.author)}"
        self._all.findings.add(f"Of those that have {key}, {said}.", [view, *targets])
