"""The data pipeline: campaigns of simulated runs, and histories at scale, on Spark (docs/pipeline.md)."""
