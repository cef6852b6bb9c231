"""Campaigns and stores of runs, on Spark (docs/pipeline.md)."""
