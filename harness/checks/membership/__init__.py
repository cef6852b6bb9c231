"""Guarantees of member lists, masters and claims."""
