"""Every event that a node can report.

Nodes tell, the harness judges: nothing here knows what is being checked. Fields named `version`, `author`, `master`,
`members`, `peer`, `partition`, `replica`, `reason` and `why` are columns of their own in a history; the rest share one.
A `reason` is words for people alone; its kind is `why` (node/why.py)."""

from shaketable.node.events.base import *  # noqa: F403
from shaketable.node.events.cluster import *  # noqa: F403
from shaketable.node.events.driver import *  # noqa: F403
from shaketable.node.events.gms import *  # noqa: F403
from shaketable.node.events.merging import *  # noqa: F403
from shaketable.node.events.others import *  # noqa: F403
from shaketable.node.events.partition import *  # noqa: F403
from shaketable.node.events.splitbrain import *  # noqa: F403
