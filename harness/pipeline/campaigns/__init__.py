"""Campaigns: many simulated runs as Spark tasks, from what is to be run to what came of it."""
