"""A promoted backup asks colder ones for writes that it lacks.

From rulings 3.9: a promoted backup raises or syncs its replica versions, which text 3 does not ask for. It may lack a
write that a colder backup has, because of a SHIFT UP since then or because its own link was the bad one. Anti-entropy
would overwrite that write with older data. The promotion goes on without a backup that does not answer, and tells
so."""

from __future__ import annotations

from shaketable.node.cluster.partition.promoting.answering import Answering
from shaketable.node.cluster.partition.promoting.asking import Promoting

__all__ = ["Answering", "Promoting"]
