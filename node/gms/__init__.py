"""Shoal's group management service without multicast: the second protocol family.

A group has one master. It alone publishes views, each a notification with a sequence id, and it alone declares that a
member has failed. Policies say who watches whom, and who becomes master. docs/group-rules.md leads from each rule to
its code."""

from shaketable.node.gms.member import GroupMember

__all__ = ["GroupMember"]
