"""The data of a part of the cluster that has merged into another one, entry by entry: set aside by the old identity of
whoever owned them, brought by its new one to the owner there, where the policy of their map decides."""

from shaketable.node.cluster.partition.merging.bringing import Bringing
from shaketable.node.cluster.partition.merging.setting_aside import SetAside, SettingAside, owned, set_aside
from shaketable.node.cluster.partition.merging.taking import Taking

__all__ = ["Bringing", "SetAside", "SettingAside", "Taking", "owned", "set_aside"]
