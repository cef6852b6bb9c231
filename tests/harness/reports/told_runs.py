"""Runs for reports: a crash with a claim, told by hand and judged, and names that would break a page that let them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from tests.notation.notation import history_of

from shaketable.harness.history.history import History
from shaketable.harness.records import NodeNamed, Record
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import DEFAULT

CRASH = """
step: form n1, n2, n3
n1 installs v1 [n1]
n1 publishes v3 [n1 n2 n3]
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
n3 installs v3 by n1 [n1 n2 n3]
step: kill n1
fault 1: kill n1
n1 is killed
n2 suspects n1
n2 claims
n2 asks n3
n3 accepts n2
n2 is answered by n3: accepted v3 [n1 n2 n3]
n2 finishes v5 [n2 n3]
n2 publishes v5 [n2 n3]
n2 installs v5 [n2 n3]
+2s
n3 installs v4 by n2 [n2]
the script ends
"""
"""n3 installs a list in which it is not."""
QUIET = """
step: form n1, n2
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
the script ends
"""
WILD = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\x00\x9b{{}}`"
"""as a name, a reason, a step"""


def told(name: str, story: str, *about: str, title: str = "") -> tuple[RunVerdict, Sequence[Record]]:
    records = history_of(story)
    subject = ScriptSubject(name, title or f"The story of {name}.", f"chaos/{name}.py", about)
    return judge(records, subject, DEFAULT, 0), records


def crash() -> tuple[RunVerdict, Sequence[Record]]:
    return told("crash", CRASH, "view integrity")


def quiet() -> tuple[RunVerdict, Sequence[Record]]:
    return told("quiet", QUIET)


def wild() -> tuple[RunVerdict, Sequence[Record]]:
    """The same, and every word of it from somebody who means no good."""
    _, records = crash()
    node = f"n2{WILD}"
    renamed = [
        record._replace(
            node=node if record.node == "n2" else record.node,
            event=msgspec.structs.replace(record.event, peer=node)
            if isinstance(record.event, NodeNamed) and record.event.peer == "n2"
            else record.event,
        )
        for record in records
    ]
    subject = ScriptSubject(WILD, WILD, WILD, ("view integrity",), target=WILD)
    return judge(History(renamed).records, subject, DEFAULT, 0), renamed
