"""What the keys are called at this moment, where that is not always the same."""

from __future__ import annotations

from shaketable.tui.model.possible import doing_what_to, no_speed
from shaketable.tui.model.session import Session


def titles_now(session: Session, hands: bool) -> dict[str, str]:
    """By action, for the footer; a node's keys that make no sense are missing, and so is what is empty."""
    titles = {f"node_key('{verb}')": what for verb, what in doing_what_to(session, hands).items()}
    titles["halt_or_follow"] = _space(session, hands)
    if not session.chosen.filter:
        titles["match(True)"] = ""
    return titles


def _space(session: Session, hands: bool) -> str:
    if not session.live:
        return ""
    if session.speed == 0 and not no_speed(session, hands):
        return "go on"
    return "pause" if session.following else "follow"
