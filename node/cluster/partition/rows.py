"""One partition's replicas: who holds index 0 (the owner) and each backup, hotter ones before colder ones.

From the text on avoiding data loss on migration: at most seven replicas; a backup of a lost owner takes its place."""

from __future__ import annotations

from collections.abc import Collection

from shaketable.node.messages import Row


def repaired(row: Row, members: Collection[str]) -> Row:
    """Without those who are no members any more, and with an owner as long as anybody is left (text 3.3.2, step 2)."""
    return promoted(tuple([member if member in members else None for member in row]))


def promoted(row: Row) -> Row:
    """Where the owner is gone, the first backup that is left becomes the owner. Its own index stays empty: the others
    keep theirs, as nobody else has more data than before."""
    if not row or row[0] is not None:
        return row
    for index, member in enumerate(row):
        if member is not None:
            return (member, *row[1:index], None, *row[index + 1 :])
    return row
