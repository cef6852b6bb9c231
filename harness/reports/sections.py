"""Where a guarantee comes from: the specification text, its section, and the page of ours that leads from each of its
rules to the code (docs/*-rules.md). A failure in a report says it, so that a reader can judge the check itself."""

from __future__ import annotations

from typing import Final, NamedTuple


class Section(NamedTuple):
    text: str
    section: str
    page: str
    heading: str
    """of the page"""

    @property
    def said(self) -> str:
        return f"{self.text}, “{self.section}”"

    @property
    def where(self) -> str:
        return f"docs/{self.page}.md, “{self.heading}”"


_SERVICE: Final = "Cluster Service Consistency Improvements"
_PARTIAL: Final = "Partial Member Disconnection Resolution"
_MIGRATION: Final = "Avoid Data Loss on Migration"
_BRAIN: Final = "Split-brain Recovery Improvements"
_GROUPS: Final = "GMS Non-Multicast Design"


def _lists(section: str) -> Section:
    return Section(_SERVICE, section, "cluster-service-rules", "Member lists")


def _moving(section: str, heading: str) -> Section:
    return Section(_MIGRATION, section, "partition-rules", heading)


def _healing(heading: str) -> Section:
    return Section(_BRAIN, "Technical Design", "split-brain-rules", heading)


def _group(section: str, heading: str) -> Section:
    return Section(_GROUPS, section, "group-rules", heading)


_DECIDING: Final = Section(
    _PARTIAL, "Deciding on a New Optimal Cluster Member List", "partial-disconnection-rules", "The decision"
)
_UPDATES: Final = _lists("Membership Update Process")
_SINGLE_TABLE: Final = _moving("1. Simplified Management of Partition Table", "The partition table")
_NOTIFYING: Final = _group("2.3. Virtual Multicast Optimizations", "Notifications")
_LEADING: Final = _group("2.4 GMS Master (GroupLeadershipNotification)", "The master is followed by another")
_FAILING: Final = _group("2.2 HeartBeat Failure Detection", "Doubt and failure")

SECTIONS: Final[dict[str, Section]] = {
    "view order": _lists("Theory, M1 (View Order)"),
    "view agreement": _lists("Theory, M2 (View Agreement)"),
    "view integrity": _lists("Theory, M3 (View Integrity)"),
    "one list a key": _UPDATES,
    "single authority": _UPDATES,
    "following": Section(_SERVICE, "Mastership Claim Process", "cluster-service-rules", "Mastership claim"),
    "consequences": _UPDATES,
    "true reasons": _UPDATES,
    "joined": _UPDATES,
    "claims": Section(_SERVICE, "Mastership Claim Process", "cluster-service-rules", "Mastership claim"),
    "fully connected": _DECIDING,
    "best clique": _DECIDING,
    "split heals": _healing("Who goes over to whom"),
    "one direction": _healing("Who goes over to whom"),
    "identities renewed": _healing("The next identity"),
    "table order": _SINGLE_TABLE,
    "replica count": _moving("3.2 Performing Migrations With Maintaining Data Safety", "Planning"),
    "commit order": _moving("2.1 Safe Migration Commit", "The commit of a migration"),
    "completed list": _moving("2.1 Safe Migration Commit", "The commit of a migration"),
    "no lost data": _moving("Problems", "What the text calls broken"),
    "merged data": _healing("The data"),
    "settled": _UPDATES,
    "converged": _healing("The merge"),
    "nothing waits": _UPDATES,
    "balanced": _moving("3. Backup Migration", "Planning"),
    "in place": _moving("3. Backup Migration", "The types of migrations"),
    "detection": Section(
        _SERVICE, "Membership Update Process", "cluster-service-rules", "Failure detection and suspicion"
    ),
    "view sequence": _group("2.3. Virtual Multicast Optimizations", "Members and views"),
    "same notifications": _NOTIFYING,
    "leadership agrees": _LEADING,
    "joins in order": _group("2.3. Virtual Multicast Optimizations", "Members and views"),
    "rejoin": _FAILING,
    "suspected first": _FAILING,
    "no false failure": _FAILING,
    "every failure told": _FAILING,
    "shutdown is no failure": _group("2.2 HeartBeat Failure Detection", "Shutdown"),
    "one master": _group("2.4 GMS Master (GroupLeadershipNotification)", "Splits"),
    "one view": _group("2.4 GMS Master (GroupLeadershipNotification)", "Splits"),
    "message cost": _group(
        "2.2.2 Lower Risk Incremental Optimizations to existing HealthMonitor", "What heartbeats cost"
    ),
    "group detection": _group("2.2 HeartBeat Failure Detection", "How soon a failure is told"),
}
"""Of each check; what is ours is put where the text speaks of the same thing."""


def section_of(check: str) -> Section | None:
    return SECTIONS.get(check)
