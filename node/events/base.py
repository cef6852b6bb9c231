"""What every event is made of."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="kind", tag=True, forbid_unknown_fields=True, gc=False):
    pass
