"""Protocol variants: named sets of settings under which the same scripts must hold. None of them has a planted fault.

A variant is for scripts of its family that set none of its settings themselves, because those scripts are about these
settings. A story is run as it is written, under the preset of real runs, and under one other variant. Neighbouring
stories get different ones. A script that draws its faults by the seed is played under all variants."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.stores import drawing
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script, own_settings
from shaketable.node.config import CLUSTER, GMS, SettingError, by_our_names, read_settings

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    """"": as written, under the usual preset"""
    means: str = ""
    family: str = ""
    """"": both"""
    preset: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    not_about: tuple[str, ...] = ()
    """no script that is about one of these checks: it cannot be judged so"""
    not_with: tuple[str, ...] = ()
    """no script that sets one of these itself: its steps hang on the ratio of both"""
    only_in: tuple[str, ...] = ()
    """files of ours, by their names, if it is not for all"""
    not_in: tuple[str, ...] = ()
    """files of ours whose stories hang on the values that this changes"""


USUAL: Final = Variant("", "as written")
FAST: Final = Variant("fast", "the preset of real runs, about 20 times shorter times", preset="fast")
OTHERS: Final = (
    Variant(
        "varying delays", "a message takes a tenth of a millisecond, or 20, or what is between",
        values={"schedule": "varying"},
    ),
    Variant(
        "ranked links", "some links are always faster than others, until they fall behind",
        values={"schedule": "ranked"},
    ),
    Variant(
        "phi-accrual", "the failure detector that learns how regular heartbeats are", CLUSTER,
        values={"failure_detector": "phi-accrual"}, not_about=("detection",),
    ),
    Variant(
        "batches", "joiners are admitted in batches", CLUSTER,
        values={"async_join": False}, not_in=("form", "joins", "under_load"),
    ),
    Variant(
        "short claims", "a claim waits for a third of the heartbeat timeout", CLUSTER,
        values={"mastership_claim_timeout_seconds": 20},
        # There a claim has to outlast the heartbeat timeout.
        not_in=("seen_by_the_master",),
    ),
    Variant(
        "short timeout", "silence is known after half of the usual time", CLUSTER,
        values={"heartbeat_timeout_seconds": 30}, not_with=("partial_disconnection_heartbeat_count",),
        not_in=("one_way", "telling"),
    ),
    Variant(
        "no grace", "a lost connection is borne for a moment only", CLUSTER,
        values={"connection_monitor_max_faults": 0},
        not_in=(
            "data_storm", "migrating_on", "six_members", "broken_links", "cut_off_while_committing",
            "disconnected_while_migrating",
        ),
    ),
    Variant(
        "often published", "lists and tables are published often, backups compared often", CLUSTER,
        values={
            "member_list_publish_interval_seconds": 10, "partition_table_send_interval_seconds": 5,
            "backup_sync_interval_seconds": 7,
        },
    ),
    Variant(
        "strict confirmations", "a member that does not confirm its master is removed soon", CLUSTER,
        values={"master_confirmation_interval_seconds": 10, "master_confirmation_timeout_seconds": 70},
    ),
    Variant(
        "parallel migrations", "four migrations may be under way at once", CLUSTER,
        values={"max_parallel_migrations": 4}, only_in=("nemesis", "storm_with_data", "data_storm"),
    ),
    Variant("datagrams", "heartbeats and notifications go by UDP unicast", GMS, values={"gms_udp": "both"}),
    Variant("two missed", "two missed heartbeats are enough for a probe", GMS, values={"gms_max_missed": 2}),
    Variant("one likely", "the master sends heartbeats to one likely successor", GMS, values={"likely_successors": 1}),
    Variant(
        "quick probes", "probes are short, and verified late", GMS,
        values={"gms_probe_timeout_seconds": 2, "gms_verify_timeout_seconds": 5},
    ),
)  # fmt: skip
ALL: Final = (USUAL, FAST, *OTHERS)
AS_WRITTEN: Final = "as written"
"""by this name the first one is asked for"""


def variants_named(names: Iterable[str]) -> list[Variant]:
    known = {variant.name or AS_WRITTEN: variant for variant in ALL}
    for name in names:
        if name not in known:
            raise UserError(f"there is no variant {name!r}; there are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]


def varied(said: Sequence[str]) -> list[Variant]:
    """The user's own: each way to take one value of each --vary NAME=A,B."""
    choices: dict[str, list[str]] = {}
    for each in said:
        name, equals, values = each.partition("=")
        if not equals or not values or name in choices:
            raise UserError(f"--vary {each}: give each setting once, as NAME=A,B, for example gms_udp=none,both")
        choices[name] = list(dict.fromkeys(values.split(",")))
    ways = [dict(zip(choices, way, strict=True)) for way in itertools.product(*choices.values())]
    return [Variant(" ".join(f"{name}={value}" for name, value in way.items()), values=way) for way in ways]


def over(base: Mapping[str, Value], variants: Iterable[Variant]) -> list[Variant]:
    """With the values that the user sets for all; a variant that sets one of these itself is left out."""
    try:
        given = by_our_names(base)
        chosen = [variant for variant in variants if not set(given) & set(by_our_names(variant.values))]
        for variant in chosen:
            read_settings(variant.preset or "default", {**given, **by_our_names(variant.values)})
    except SettingError as error:
        raise UserError(f"{error}; `shaketable settings` lists them all") from None
    if not chosen:
        raise UserError("no variant is left: all of them set what --set gives as well")
    return [replace(variant, values={**base, **variant.values}) for variant in chosen]


def in_turn(scripts: Sequence[Script], variants: Sequence[Variant]) -> dict[str, list[Variant]]:
    """By a script's name: as it is written, the other preset, and in turn one more that is for it; of what draws its
    faults all."""
    found, turn = {}, 0
    for script in scripts:
        own = for_script(script, variants)
        others = [variant for variant in own if variant.name in {other.name for other in OTHERS}]
        if others and not draws_its_faults(script):
            others, turn = [others[turn % len(others)]], turn + 1
        found[script.name] = [*(variant for variant in own if variant.name in ("", FAST.name)), *others]
    return {name: chosen for name, chosen in found.items() if chosen}


def each_under_all(scripts: Iterable[Script], variants: Sequence[Variant]) -> dict[str, list[Variant]]:
    """By a script's name all that are for it; a script for which none is has none."""
    found = {script.name: for_script(script, variants) for script in scripts}
    return {name: chosen for name, chosen in found.items() if chosen}


def for_script(script: Script, variants: Iterable[Variant]) -> list[Variant]:
    usual = Options("sim").settings(script)
    named = set(by_our_names(own_settings(script.settings, usual)))
    file = Path(script.file).stem
    return [
        variant
        for variant in variants
        if variant.family in ("", usual.family)
        and not named & {*by_our_names(variant.values), *variant.not_with}
        and not set(variant.not_about) & set(script.about)
        and file not in variant.not_in
        and (not variant.only_in or file in variant.only_in)
    ]


def draws_its_faults(script: Script) -> bool:
    """Each seed is another story."""
    return drawing.draws_its_faults(script.name)


def asked_for(names: Sequence[str], own: Sequence[str]) -> Sequence[Variant]:
    """By --variant, or by --vary; all, if neither says anything."""
    if own and names:
        raise UserError("--vary makes variants of your own, in the place of --variant: give one of the two")
    return over({}, varied(own)) if own else variants_named(names) if names else ALL


def listed(variants: Iterable[Variant] = ALL) -> Iterator[str]:
    """Each variant and its settings, in lines."""
    for variant in variants:
        settings = [f"{name}={value}" for name, value in variant.values.items()]
        settings += [f"preset {variant.preset}"] * bool(variant.preset)
        family = f" ({variant.family})" if variant.family else ""
        yield f"{variant.name or AS_WRITTEN}{family}{variant.means and ': '}{variant.means}"
        if settings and variant.means:
            yield f"  {', '.join(settings)}"
