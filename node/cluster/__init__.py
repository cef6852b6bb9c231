"""A member of a cluster like Hazelcast's: its services, and what wires them."""
