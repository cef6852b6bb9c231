"""The settings of a node: typed, each with its unit, its default and where it comes from.

Times are whole microseconds inside; outside they are named and given in the unit that the name says
(`heartbeat_interval_seconds = 5`). Hazelcast's property names are accepted for every field that has one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shaketable.node.env import MILLISECOND, SECOND, Micros

UNITS: Final[Mapping[str, int]] = {"seconds": SECOND, "millis": MILLISECOND}
_YEAR: Final = 365 * 24 * 3600 * SECOND
"""A time beyond this is a mistake, and no timer of a real process takes just any number."""


class SettingError(ValueError):
    """Names the field, the value and what would be right."""


def _setting(
    default: Any,
    *,
    meaning: str,
    source: str,
    unit: str = "",
    property_name: str = "",
    least: float = 0,
    most: float = math.inf,
) -> Any:
    """`least` and `most` are in the field's own unit; `source` says where the default comes from."""
    if unit in UNITS:
        most = min(most, _YEAR / UNITS[unit])
    inside = default * UNITS[unit] if unit in UNITS else default
    about = {
        "meaning": meaning,
        "source": source,
        "unit": unit,
        "property": property_name,
        "least": least,
        "most": most,
    }
    return field(default=inside, metadata=about)


_TEXT: Final = "the text on cluster service consistency"
_REAL: Final = "the real system's default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    cluster_name: str = _setting(
        "dev", meaning="who joins must name the same cluster", source=_REAL, property_name="hazelcast.cluster.name"
    )
    heartbeat_interval: Micros = _setting(
        5, unit="seconds", least=0.01, meaning="each member sends a heartbeat to each other this often", source=_REAL,
        property_name="hazelcast.heartbeat.interval.seconds",
    )  # fmt: skip
    heartbeat_timeout: Micros = _setting(
        60, unit="seconds", least=0.02, meaning="silence for this long: suspected by followers, removed by the master",
        source=_REAL, property_name="hazelcast.max.no.heartbeat.seconds",
    )  # fmt: skip
    member_list_publish_interval: Micros = _setting(
        60, unit="seconds", least=0.01, meaning="the master sends its list to all this often, changed or not",
        source=_TEXT, property_name="hazelcast.member.list.publish.interval.seconds",
    )  # fmt: skip
    mastership_claim_timeout: Micros = _setting(
        120, unit="seconds", least=0.01, meaning="who has not answered a mastership claim by then is left out",
        source=_REAL, property_name="hazelcast.mastership.claim.timeout.seconds",
    )  # fmt: skip
    mastership_claim_retry: Micros = _setting(
        10, unit="millis", least=1, meaning="who refused for now or is silent is asked again after this, then doubling",
        source="our own: the real one repeats five times at once, then from 1 ms doubling to 500 ms",
    )  # fmt: skip
    mastership_claim_longest_retry: Micros = _setting(
        500, unit="millis", least=1, meaning="the doubling ends here", source=_REAL
    )
    connection_monitor_interval: Micros = _setting(
        100, unit="millis", least=1, meaning="a lost connection counts one fault this often", source=_REAL,
        property_name="hazelcast.connection.monitor.interval",
    )  # fmt: skip
    connection_monitor_max_faults: int = _setting(
        3, least=0, most=1000, meaning="so many faults of a lost connection are borne", source=_REAL,
        property_name="hazelcast.connection.monitor.max.faults",
    )  # fmt: skip
    join_retry: Micros = _setting(
        1,
        unit="seconds",
        least=0.01,
        meaning="a joiner repeats its question or request this often",
        source=_REAL,
    )
    join_patience: Micros = _setting(
        5, unit="seconds", least=0.05, meaning="a joiner looks for a master this long before it founds a cluster",
        source="the real system's connection timeout of the tcp-ip join",
    )  # fmt: skip
    startup_vote_timeout: Micros = _setting(
        10,
        unit="seconds",
        least=0.05,
        meaning="who has not answered the start-up vote by then has not consented",
        source=_REAL,
    )
    max_join: Micros = _setting(
        300, unit="seconds", least=0.1, meaning="a joiner that saw signs of life waits this long for a master's answer",
        source=_REAL, property_name="hazelcast.max.join.seconds",
    )  # fmt: skip
    graceful_shutdown_max_wait: Micros = _setting(
        600, unit="seconds", least=0.1, meaning="a leaving member waits this long for an answer", source=_REAL,
        property_name="hazelcast.graceful.shutdown.max.wait",
    )  # fmt: skip
    leave_retry: Micros = _setting(
        1, unit="seconds", least=0.01, meaning="a leaving member repeats its request this often", source=_REAL
    )

    @property
    def connection_grace(self) -> Micros:
        """A lost connection is borne this long (three faults, 100 ms apart) before the peer is suspected."""
        return self.connection_monitor_interval * self.connection_monitor_max_faults

    def check(self) -> None:
        """The fields fit each other; each one's own range is checked where it is read."""
        if self.heartbeat_timeout < 2 * self.heartbeat_interval:
            raise SettingError(
                f"heartbeat_timeout_seconds = {self.heartbeat_timeout / SECOND:g} must be at least twice "
                f"heartbeat_interval_seconds = {self.heartbeat_interval / SECOND:g}, or sound members are suspected"
            )
        if self.max_join < self.join_patience:
            raise SettingError(
                f"max_join_seconds = {self.max_join / SECOND:g} must be at least "
                f"join_patience_seconds = {self.join_patience / SECOND:g}"
            )

    def outside(self) -> dict[str, str | int | float]:
        """By the outside names and in their units, as `with_values` takes them."""
        return {name: _to_outside(f, getattr(self, f.name)) for name, f in _BY_OUTSIDE_NAME.items()}

    def with_values(self, values: Mapping[str, object]) -> Settings:
        """A copy with these values, by our names with their unit or by Hazelcast's property names."""
        changed: dict[str, Any] = {}
        for name, value in values.items():
            known = _BY_OUTSIDE_NAME.get(name) or _BY_PROPERTY.get(name)
            if known is None:
                raise SettingError(f"{name} = {value}: there is no such setting{_nearest(name)}")
            if known.name in changed:
                raise SettingError(f"{name} = {value}: {outside_name(known)} is given already, by its other name")
            changed[known.name] = _to_inside(known, name, value)
        settings = dataclasses.replace(self, **changed)
        settings.check()
        return settings


def outside_name(f: dataclasses.Field[Any]) -> str:
    unit = f.metadata["unit"]
    return f"{f.name}_{unit}" if unit in UNITS else f.name


_FIELDS: Final = dataclasses.fields(Settings)
_BY_OUTSIDE_NAME: Final = {outside_name(f): f for f in _FIELDS}
_BY_PROPERTY: Final = {f.metadata["property"]: f for f in _FIELDS if f.metadata["property"]}


def _to_outside(f: dataclasses.Field[Any], value: Any) -> Any:
    unit = f.metadata["unit"]
    if unit not in UNITS:
        return value
    whole, rest = divmod(value, UNITS[unit])
    return value / UNITS[unit] if rest else whole


def _to_inside(f: dataclasses.Field[Any], name: str, value: object) -> object:
    about = f.metadata
    if f.type == "str":
        if not isinstance(value, str) or not value:
            raise SettingError(f"{name} = {value!r}: give a text that is not empty")
        return value
    unit = about["unit"]
    least, most = about["least"], about["most"]
    wanted = f"a number{' of ' + unit if unit else ''} of at least {least:g}"
    wanted += f" and at most {most:.0f}" if most != math.inf else ""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    if not (least <= number <= most) or math.isinf(number):
        raise SettingError(f"{name} = {value!r}: give {wanted}")
    if unit in UNITS:
        return round(number * UNITS[unit])
    if number != int(number):
        raise SettingError(f"{name} = {value!r}: give {wanted.replace('a number', 'a whole number')}")
    return int(number)


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, [*_BY_OUTSIDE_NAME, *_BY_PROPERTY], n=1)
    return f"; did you mean {close[0]}?" if close else ""


DEFAULT: Final = Settings()
"""The values of the texts. Simulated campaigns use it: virtual time is free."""

FAST: Final = Settings(
    heartbeat_interval=250 * MILLISECOND,
    heartbeat_timeout=3 * SECOND,
    member_list_publish_interval=3 * SECOND,
    mastership_claim_timeout=6 * SECOND,
    # A tenth of the default, no twentieth: how often to ask is set by how soon a real process can answer.
    join_retry=100 * MILLISECOND,
    # A real process needs this long for its links to come up; a twentieth of the default made joiners found clusters.
    join_patience=800 * MILLISECOND,
    startup_vote_timeout=500 * MILLISECOND,
    max_join=15 * SECOND,
    graceful_shutdown_max_wait=30 * SECOND,
    leave_retry=50 * MILLISECOND,
)
"""For real runs in demos and CI: about 20 times shorter, the same ratios except what the machine sets."""

PRESETS: Final[Mapping[str, Settings]] = {"default": DEFAULT, "fast": FAST}


def read_settings(preset: str, values: Mapping[str, object]) -> Settings:
    if preset not in PRESETS:
        raise SettingError(f"preset = {preset!r}: give one of {', '.join(PRESETS)}")
    return PRESETS[preset].with_values(values)
