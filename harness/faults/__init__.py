"""What a fault is, whichever world it is in: how bad a link or a node is at any moment, and what a world is asked."""
