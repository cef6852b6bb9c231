"""The settings of the second protocol family: groups, as the text on Shoal GMS without multicast has them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.node.config.choices import GROUP_FAULTS, LEGACY_FAULTS, SCHEDULES, USUAL
from shaketable.node.config.fields import SettingError, setting
from shaketable.node.config.swim import LIFEGUARD, SWIM, SWIMS, SwimSettings
from shaketable.node.core.env import Micros

CLUSTER: Final = "cluster"
GMS: Final = "gms"
FAMILIES: Final = (CLUSTER, GMS)

CORE: Final = "core"
SPECTATOR: Final = "spectator"
WATCHDOG: Final = "watchdog"

ALL_TO_ALL: Final = "all to all"
MASTER_AND_LIKELY: Final = "master and likely"
RING: Final = "ring"
INFERRED: Final = "ring with inferred"
BY_THE_TEXT: Final = (ALL_TO_ALL, MASTER_AND_LIKELY, RING, INFERRED)
DETECTIONS: Final = (*BY_THE_TEXT, SWIM, LIFEGUARD)

BY_ORDER: Final = "by order"
BY_SENIORITY: Final = "by seniority"
ELECTIONS: Final = (BY_ORDER, BY_SENIORITY)

NO_UDP: Final = "none"
HEARTBEATS: Final = "heartbeats"
NOTIFICATIONS: Final = "notifications"
BOTH: Final = "both"
BY_UDP: Final = (NO_UDP, HEARTBEATS, NOTIFICATIONS, BOTH)

BY_THE_RUN: Final = "the run's"
"""the addresses that the run gives to a node, in the place of a list of its own"""
FIRST_PORT: Final = 9090
"""of the text's port range: where a host is looked for that is named without one"""

_TEXT: Final = "the text on Shoal GMS without multicast"
_REAL: Final = "Shoal's default"
_URI: Final = re.compile(r"(?:tcp://)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings(SwimSettings):
    family: str = setting(
        CLUSTER, choices=FAMILIES, source="our own",
        meaning="which protocols the nodes speak: those of a cluster, or Shoal's group management service",
    )  # fmt: skip
    schedule: str = setting(
        USUAL, choices=SCHEDULES, source="our own",
        meaning="virtual time alone: how long messages take; varying or ranked, they arrive in unusual orders; chosen, "
        "in the order of schedule_order",
    )  # fmt: skip
    schedule_changes: int = setting(
        3, most=100, source="our own", meaning="ranked: this many times a link falls to the last rank",
    )  # fmt: skip
    schedule_order: str = setting(
        "", may_be_empty=True, source="our own",
        meaning="chosen: a window of the run, and which steps follow each other in it, as shaketable explore writes it",
    )  # fmt: skip
    gms_group: str = setting("group", meaning="a joiner must name the same group", source="our own")
    gms_domain: str = setting(
        "domain", meaning="the same name in another domain is another group; foreign messages are dropped", source=_TEXT
    )
    gms_member_type: str = setting(
        CORE, choices=(CORE, SPECTATOR, WATCHDOG), source=_TEXT,
        meaning="core: an instance; spectator: a member that holds no data; watchdog: only says who has failed",
    )  # fmt: skip
    discovery_uri_list: str = setting(
        BY_THE_RUN, may_be_empty=True, source=_TEXT, property_name="GMS_DISCOVERY_URI_LIST",
        meaning="where a group is looked for: tcp://host:port, host:port; empty: I am the first",
    )  # fmt: skip
    gms_multicast_address: str = setting(
        "", may_be_empty=True, source=_TEXT, meaning="always refused: a group is found by its discovery list alone"
    )
    gms_detection: str = setting(
        ALL_TO_ALL, choices=DETECTIONS, source=f"{_TEXT}; swim and lifeguard: the papers on them",
        meaning="the policy of sending heartbeats and of watching them; swim and lifeguard ping one member a period",
    )  # fmt: skip
    gms_election: str = setting(
        BY_ORDER, choices=ELECTIONS, source="the text has the members' order, Shoal who has run longest",
        meaning="the policy of who becomes master, and which of two masters stays",
    )  # fmt: skip
    gms_udp: str = setting(
        NO_UDP, choices=BY_UDP, source=_TEXT,
        meaning="what goes by UDP unicast, each in a datagram of its own: it may be lost, late, or come twice",
    )  # fmt: skip
    likely_successors: int = setting(
        2, least=1, most=100_000, source="our own",
        meaning="master and likely: the master sends heartbeats to this many of its next successors",
    )  # fmt: skip
    gms_heartbeat_period: Micros = setting(
        3, unit="seconds", least=0.01, meaning="heartbeats leave, and are looked for, this often", source=_REAL
    )
    gms_max_missed: int = setting(
        3, least=1, most=1000, meaning="a member is probed after so many periods without a heartbeat", source=_REAL
    )
    gms_probe_timeout: Micros = setting(
        10, unit="seconds", least=0.01, meaning="a probe that is not answered by then has failed",
        source="Shoal's time limit of a TCP connection to a suspect",
    )  # fmt: skip
    gms_verify_timeout: Micros = setting(
        2.5, unit="seconds", least=0.01, meaning="a suspect is probed again after this, before it is declared dead",
        source="Shoal's 2 s and its buffer of 0.5 s",
    )  # fmt: skip
    discovery_timeout: Micros = setting(
        5, unit="seconds", least=0.05, meaning="a member that starts looks for a master this long", source=_REAL
    )
    discovery_retry: Micros = setting(
        1, unit="seconds", least=0.01, meaning="it asks this often", source="our own: Shoal asks once, by multicast"
    )
    gms_resend_history: Micros = setting(
        12, unit="seconds", least=0.01, meaning="a master can send its notifications again this long", source=_REAL
    )
    gms_failed_member_memory: Micros = setting(
        3600, unit="seconds", source="our own",
        meaning="a master asks members that it declared failed this long whether they have another master",
    )  # fmt: skip
    gms_group_start_limit: Micros = setting(
        600, unit="seconds", least=0.1, meaning="the start of a whole group is over by then, whoever is missing",
        source=_REAL,
    )  # fmt: skip
    gms_group_start_delay: Micros = setting(
        3, unit="seconds", meaning="it is over this long after the last member is ready", source=_REAL
    )
    gms_ready_after: Micros = setting(
        0, unit="seconds", meaning="a member's application says that it is ready this long after the join",
        source="our own: the application's affair",
    )  # fmt: skip
    gms_shutdown_patience: Micros = setting(
        10,
        unit="seconds",
        least=0.05,
        meaning="a member that shuts down waits this long to be taken off the view",
        source="our own",
    )

    @property
    def detection_window(self) -> Micros:
        """Silence for this long is no accident any more."""
        return self.gms_max_missed * self.gms_heartbeat_period

    @property
    def swims(self) -> bool:
        """Members ping each other in turn, and nobody's heartbeats are watched."""
        return self.gms_detection in SWIMS

    @property
    def worst_health(self) -> int:
        """0: a member never takes itself for slow."""
        return self.lifeguard_worst_health if self.gms_detection == LIFEGUARD else 0

    @property
    def has_buddies(self) -> bool:
        return self.gms_detection == LIFEGUARD and self.lifeguard_buddy

    def longest_interregnum(self, members: int) -> Micros:
        """From a master's last sign of life until its successor leads, if that one and another are there to see it."""
        if self.swims:
            asked = 2 * self.gms_probe_timeout + 2 * self.gms_verify_timeout
            return self.longest_unpinged(members, self.worst_health) + asked + self.suspicion_wait(members)
        probes = 3 * self.gms_probe_timeout
        return self.detection_window + self.gms_heartbeat_period + probes + 2 * self.gms_verify_timeout

    def patience_with_a_silent_master(self, members: int) -> Micros:
        """Until a member that nobody comes for gives it up: all the others may be asked in turn to take over."""
        return self.longest_interregnum(members) + members * self.gms_verify_timeout

    def longest_unpinged(self, members: int, health: int = 0) -> Micros:
        """Until some member's ping of a crashed one has failed, even if all had just pinged it, and have it last in
        their next round. `health`: by how many times their pings are slower."""
        others = max(1, members - 1)
        return (1 + health) * ((2 * others - 1) * self.gms_heartbeat_period + 3 * self.swim_ping_timeout)

    def suspicion_wait(self, members: int, confirmed: int = 0) -> Micros:
        """So long a suspect has to answer. It starts long and shrinks with each member that suspects it too, by the
        logarithm of their number: the first ones count most."""
        least = self.swim_suspicion_periods * max(1.0, math.log10(max(1, members))) * self.gms_heartbeat_period
        needed = min(self.lifeguard_confirmations, members - 2)
        if self.gms_detection != LIFEGUARD or needed < 1:
            return round(least)
        most = self.lifeguard_longest_suspicion * least
        shrunk = math.log(min(confirmed, needed) + 1) / math.log(needed + 1)
        return round(most - (most - least) * shrunk)

    def check_group(self, rest_enabled: bool, legacy_fault: str) -> None:
        mine, others = (GROUP_FAULTS, LEGACY_FAULTS) if self.family == GMS else (LEGACY_FAULTS, GROUP_FAULTS)
        if legacy_fault in others:
            theirs = CLUSTER if self.family == GMS else GMS
            raise SettingError(
                f"legacy_fault = {legacy_fault!r} is a fault of family = {theirs!r}, and here it is {self.family!r}; "
                f"the faults of that one are {', '.join(mine)}"
            )
        if self.family == GMS and rest_enabled:
            raise SettingError("rest_enabled = true: a group has no join configuration to be asked for; leave it out")
        if self.gms_multicast_address:
            raise SettingError(
                f"gms_multicast_address = {self.gms_multicast_address!r}: a group is found by discovery_uri_list, "
                "and not by multicast as well; leave it empty"
            )
        if self.discovery_uri_list != BY_THE_RUN:
            discovery_addresses(self.discovery_uri_list)


def discovery_addresses(uris: str) -> Sequence[str]:
    """`tcp://host:port, host:port, host`: the addresses, each once. None at all: whoever has this list is the first."""
    addresses: dict[str, bool] = {}
    for uri in filter(None, (each.strip() for each in uris.split(","))):
        found = _URI.fullmatch(uri)
        port = int(found[2] or FIRST_PORT) if found else 0
        if found is None or not 0 < port < 65_536:
            raise SettingError(f"discovery_uri_list: {uri!r} is none of tcp://host:port, host:port and host")
        addresses[f"{found[1]}:{port}"] = True
    return tuple(addresses)
