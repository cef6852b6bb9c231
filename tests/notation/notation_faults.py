"""The kinds of a fault in the stories, by the words that a history tells it with: "split by cut", "drop heartbeat"."""

from __future__ import annotations

from shaketable.harness.faults.kinds import KINDS


def kinds_of(verb: str) -> tuple[str, ...]:
    meant = [kind for kind in KINDS.values() if f"{verb} ".startswith(f"{kind.spoken} ")]
    if not meant:
        return (verb,)  # of no kind that is known
    kind = max(meant, key=lambda kind: len(kind.spoken))
    by = verb.removeprefix(kind.spoken).removeprefix(" by ")
    return (kind.verb, by) if by in KINDS else (kind.verb,)


def acts_on_messages(verb: str) -> bool:
    return any(kind in KINDS and KINDS[kind].filters is not None for kind in kinds_of(verb))
