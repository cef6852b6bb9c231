"""How bad one link is at a moment: the one description that both worlds follow (docs/architecture.md, "Links")."""

from dataclasses import dataclass

from shaketable.node.core.env import Micros


@dataclass(frozen=True, slots=True)
class Slices:
    """Data arrives in pieces of about `size` bytes (give or take `variation`), `pause` apart."""

    size: int = 64
    variation: int = 32
    pause: Micros = 10_000


@dataclass(frozen=True, slots=True)
class LinkState:
    """What is done to one directed link. The default is a sound link."""

    cut: bool = False
    """connections drop, new ones are refused"""
    blackhole: bool = False
    """bytes vanish, the connection looks alive"""
    latency: Micros = 0
    jitter: Micros = 0
    rate: int | None = None
    """bytes per second, None: no limit"""
    slices: Slices | None = None

    @property
    def sound(self) -> bool:
        return self == SOUND

    @property
    def silent(self) -> bool:
        """Nothing passes: what checks call a broken link."""
        return self.cut or self.blackhole


SOUND = LinkState()
