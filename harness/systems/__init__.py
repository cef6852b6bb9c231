"""Systems under test: what each tells, can do and promises, and how it is run."""
