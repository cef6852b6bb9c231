"""What members do when parts of a cluster find each other, in the notation of the stories.

n4 searches 3 addresses · n4 ends its search: 1 answered
n4 judges n1: merge (data members: 2 here, 3 there)     also `stay`, `no`
n4 puts off merging into n1 (somebody joins)
n4 begins to merge into n1             with the list that it holds; `n4 begins to merge v3 [n4 n5] into n1`
n4 goes over to n1                     its last event: what follows is n4''s, under the next identity
n4' has come over to n1 · n4' is not admitted (n1 did not admit me)
n4 remembers n6 (it is said to lead) · n4 forgets n6
n4 knows n4 n5                         by its join configuration, these and no others
n5 is told by n4 to know n4 n5 n6      at run time, by its master
n4 has told all to know n4 n5 n6       `(n5 cannot take it; no member has changed its list)`: in vain
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.notation.notation_names import member, members
from tests.reasons import reason_in

from shaketable.harness import records as h
from shaketable.node import events as e
from shaketable.node.why import or_nothing

if TYPE_CHECKING:
    from tests.notation.notation import Writer


def _begins(w: Writer, who: str, version: str | None, listed: str | None, into: str) -> None:
    held = w.held_by(who)
    mine = (int(version), members(listed or "")) if version else (held.version, held.members)
    w.tell(who, e.MergeBegan(member(into), *mine))


def _has_told_all(w: Writer, who: str, whom: str, why: str | None) -> None:
    addresses = tuple(each.address for each in members(whom))
    w.tell(who, e.JoinAddressesChangeEnded(addresses, *or_nothing(reason_in(why) if why else None)))


SENTENCES: dict[str, Callable[..., None]] = {
    r"(\S+) searches (\d+) address(?:es)?": lambda w, who, count: w.tell(
        who, e.SplitBrainSearchBegan(w.held_by(who).version, int(count))
    ),
    r"(\S+) ends its search: (\d+) answered": lambda w, who, count: w.tell(
        who, e.SplitBrainSearchEnded(w.held_by(who).version, int(count), *reason_in("all have answered, or will not"))
    ),
    r"(\S+) judges (\S+): (merge|stay|no) \((.+)\)": lambda w, who, whom, decision, why: w.tell(
        who, e.MergeJudged(member(whom), decision, *reason_in(why))
    ),
    r"(\S+) puts off merging into (\S+) \((.+)\)": lambda w, who, whom, why: w.tell(
        who, e.MergePutOff(member(whom), *reason_in(why))
    ),
    r"(\S+) begins to merge (?:v(\d+) \[(.*)\] )?into (\S+)": _begins,
    r"(\S+) goes over to (\S+)": lambda w, who, whom: w.tell(who, e.Merging(member(whom))),
    r"(\S+) has come over to (\S+)": lambda w, who, whom: w.tell(who, e.Merged(member(whom))),
    r"(\S+) is not admitted \((.+)\)": lambda w, who, why: w.tell(who, e.MergeFailed(*reason_in(why))),
    r"(\S+) remembers (\S+) \((.+)\)": lambda w, who, whom, why: w.tell(
        who, e.AddressRemembered(member(whom).address, *reason_in(why))
    ),
    r"(\S+) has told all to know (n\d[^(]*)(?: \((.+)\))?": _has_told_all,
    r"(\S+) is told by (\S+) to know (n\d.*)": lambda w, who, master, whom: w.tell(
        who, e.JoinAddressesChanged(member(master), tuple(member(name).address for name in whom.split()))
    ),
    r"(\S+) knows (n\d.*)": lambda w, who, whom: w.tell("", h.AddressesConfigured(who, tuple(whom.split()))),
    r"(\S+) forgets (\S+)": lambda w, who, whom: w.tell(who, e.AddressForgotten(member(whom).address)),
}
