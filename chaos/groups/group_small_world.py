"""A small world of a group, made to be explored whole, as those of small_worlds.py are."""

from shaketable import Cluster, endings, script


@script(about=("one list a key", "settled", "view sequence"), settings={"family": "gms"})
async def a_small_group(cluster: Cluster) -> None:
    """The master of a group of three crashes, and its successor tells the others."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await endings.one_group(cluster)
