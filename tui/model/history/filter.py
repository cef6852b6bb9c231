"""A filter for events, as a user types it: words that must occur in the event's sentence, and some that must not.

`suspects n3`    both words occur, in large or small letters (the kind of the event counts as a word of it)
`"link down"`    these words, one after the other
`node:n2`        told by n2; `node:harness` by the harness
`kind:Suspected` of this kind; a part of its name is enough. Several `node:` or `kind:` mean any of them
`-word`          does not occur; also `-node:n2`, `-kind:Chunk`"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from shaketable.harness.history.names import Names
from shaketable.harness.records import HARNESS, Record
from shaketable.tui.model.hands.telling import told as said_by

_TERM: Final = re.compile(r'(-?)(?:(node|kind):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    words: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.nodes or self.kinds)


@dataclass(frozen=True, slots=True)
class Filter:
    """All in small letters."""

    wanted: Terms = Terms()
    unwanted: Terms = Terms()

    def __bool__(self) -> bool:
        return bool(self.wanted or self.unwanted)

    @property
    def reads(self) -> bool:
        """Whether it needs the sentence; else kind and node are enough."""
        return bool(self.wanted.words or self.unwanted.words)

    def takes_kind(self, kind: str) -> bool:
        kind = kind.casefold()
        if any(each in kind for each in self.unwanted.kinds):
            return False
        return not self.wanted.kinds or any(each in kind for each in self.wanted.kinds)

    def takes_node(self, node: str) -> bool:
        name = "harness" if node == HARNESS else node.casefold()
        return name not in self.unwanted.nodes and (not self.wanted.nodes or name in self.wanted.nodes)

    def takes_words(self, record: Record, names: Names) -> bool:
        told = f"{said_by(record, names)} {type(record.event).__name__}".casefold()
        return all(each in told for each in self.wanted.words) and not any(each in told for each in self.unwanted.words)


def read_filter(text: str) -> Filter:
    """Any typed text is a filter; a word that is begun and not ended yet ("node:") asks for nothing."""
    found: dict[tuple[bool, str], list[str]] = {}
    for minus, of, quoted, word in _TERM.findall(text):
        said = (quoted or word).casefold()
        if said and not (not of and said in ("node:", "kind:", "-")):
            found.setdefault((not minus, of.casefold()), []).append(said)
    wanted, unwanted = (
        Terms(*(tuple(found.get((side, of), ())) for of in ("", "node", "kind"))) for side in (True, False)
    )
    return Filter(wanted, unwanted)
