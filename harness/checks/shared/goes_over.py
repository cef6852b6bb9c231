"""Which of two parts of a cluster has to go over to the other (rulings 4.1)."""

from __future__ import annotations

from shaketable.node.messages import Address, Member


def goes_over(mine: tuple[Member, ...], theirs: tuple[Member, ...]) -> bool:
    """By the rule, and not by the code that is judged."""
    own, other = [sum(1 for member in members if not member.lite) for members in (mine, theirs)]
    if own != other:
        return own < other
    return bool(theirs) and _compared(mine[0].address) > _compared(theirs[0].address)


def _compared(address: Address) -> str:
    """[host]:port, compared as strings are."""
    host, port = address.rsplit(":", 1)
    return f"[{host}]:{port}"
