"""Clusters that were split, and find each other again."""
