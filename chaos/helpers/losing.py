"""A story in which each node loses the first message of one kind that it sends."""

from __future__ import annotations

from functools import reduce
from operator import or_

from shaketable import Cluster, Injected, Script, endings, script


def where_it_is_lost(kind: str, story: Script, name: str = "no_first") -> Script:
    """Each node that starts loses the first message of this kind."""

    async def told(cluster: Cluster) -> None:
        lost: list[Injected] = []

        async def loses(node: str) -> None:
            lost.append(await cluster.drop(kind, sender=node, count=1, perhaps=True))

        cluster.after_start(loses)
        await story.body(cluster)
        await cluster.until(reduce(or_, [cluster.that.caught(each) for each in lost]), within=0)
        for each in lost:
            await cluster.heal(each)
        await cluster.calm()
        if "no lost data" in story.about:
            await endings.its_data_are_safe(cluster, ())

    title = f"Each node loses its first {kind} in the story {story.name}, which comes to the same end."
    return script(name=f"{name} {kind} {story.name}", title=title, about=story.about, settings=story.settings)(told)
