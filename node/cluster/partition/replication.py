"""The data of one partition on their way: a part for each service that keeps data, packed into one stream.

A service is a user's own, perhaps: what it gives or takes amiss is told with its name, and nothing is lost by it."""

from __future__ import annotations

import msgspec

from shaketable.node.cluster.partition.services import ChecksData, MigrationAwareService
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.events import ServiceFailed
from shaketable.node.why import Why, because


def packed(state: PartitionState, partition: int, replica: int) -> bytes:
    """All that the holder of this index has to hold."""
    return msgspec.msgpack.encode(tuple(_given(state, service, partition, replica) for service in state.services))


def _given(state: PartitionState, service: MigrationAwareService, partition: int, replica: int) -> object:
    """None, for which the receiver refuses it all: these are no data."""
    try:
        data: object = service.replication_data(partition, replica)
    except ValueError as error:
        reason = because(Why.NO_DATA_TO_SEND, error)
    else:
        if data is None:
            return b""
        if isinstance(data, bytes | bytearray):
            return data
        reason = because(Why.NO_BYTES_TO_SEND, type(data).__name__)
    state.env.report(ServiceFailed(partition, replica, _named(service), *reason))
    return None


def unpacked(data: bytes) -> list[bytes]:
    """What of it each service gets, in their order; ValueError: that is none."""
    try:
        return list(msgspec.msgpack.decode(data, type=tuple[bytes, ...]))
    except msgspec.DecodeError as error:
        raise ValueError(f"no data of a partition: {error}") from error


def checked(state: PartitionState, partition: int, replica: int, data: bytes) -> list[bytes]:
    """The same of a copy that has come; ValueError: some service of mine could not read its part, as far as can be told
    before the commit."""
    parts, services = unpacked(data), state.services
    if len(parts) != len(services):
        raise ValueError(f"data for {len(parts)} services, not {len(services)}")
    for service, part in zip(services, parts, strict=True):
        if isinstance(service, ChecksData):
            try:
                service.check_data(partition, replica, part)
            except ValueError as error:
                raise ValueError(f"{_named(service)} cannot read its data: {error}") from error
    return parts


def hand_over(state: PartitionState, service: MigrationAwareService, partition: int, replica: int, data: bytes) -> None:
    """At the commit, when there is no way back: what a service cannot read even so it does without."""
    try:
        service.replicate(partition, replica, data)
    except ValueError as error:
        state.env.report(ServiceFailed(partition, replica, _named(service), *because(Why.CANNOT_READ, error)))


def _named(service: MigrationAwareService) -> str:
    return type(service).__name__
