"""The data of a part that merges: its entries are set aside, brought and decided by policy."""

from shaketable.node.cluster.partition.merging.bringing import Bringing
from shaketable.node.cluster.partition.merging.setting_aside import SetAside, SettingAside, owned, set_aside
from shaketable.node.cluster.partition.merging.taking import Taking

__all__ = ["Bringing", "SetAside", "SettingAside", "Taking", "owned", "set_aside"]
