"""Campaigns: many simulated runs as Spark tasks."""
