"""Guarantees of the member list, of who is master, and of mastership claims."""
