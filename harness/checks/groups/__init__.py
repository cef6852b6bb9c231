"""Guarantees of a group.

S1 to S11 (rulings 5.9) and "same notifications" (rulings 6.9). A *notification* is one change of a master's view; its
key is its sequence id and the master's incarnation. A *stay* of a member under a master ends when it follows another
one, or nobody."""
