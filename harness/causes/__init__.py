"""Why a thing happened: from an event back to what it followed from, across nodes, down to the fault."""
