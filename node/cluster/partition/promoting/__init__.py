"""A backup that is promoted asks the colder ones for writes that it lacks, before it serves the partition.

From rulings 3.9: a promoted backup raises or syncs its replica versions, which text 3 does not ask for. It may have
missed a write that a colder backup has, by a SHIFT UP since or because its own link was the bad one; anti-entropy would
overwrite that one with older data. Who does not answer is done without, and that is told."""

from __future__ import annotations

from shaketable.node.cluster.partition.promoting.answering import Answering
from shaketable.node.cluster.partition.promoting.asking import Promoting

__all__ = ["Answering", "Promoting"]
