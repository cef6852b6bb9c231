"""Whether the reasons are true that members give for their decisions."""
