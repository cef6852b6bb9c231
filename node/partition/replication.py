"""The data of one partition on their way: a part for each service that keeps data, packed into one stream."""

from __future__ import annotations

import msgspec

from shaketable.node.partition.state import PartitionState


def packed(state: PartitionState, partition: int, replica: int) -> bytes:
    """All that the holder of this index has to hold."""
    return msgspec.msgpack.encode(tuple(service.replication_data(partition, replica) for service in state.services))


def unpacked(data: bytes) -> list[bytes]:
    """What of it each service gets, in their order; ValueError: that is none."""
    try:
        return list(msgspec.msgpack.decode(data, type=tuple[bytes, ...]))
    except msgspec.DecodeError as error:
        raise ValueError(f"no data of a partition: {error}") from error
