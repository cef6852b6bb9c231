"""A member of a cluster, as Hazelcast has them: its services, and what wires them."""
