"""The screens as lines of text, for screen readers and pipes: `--plain`. Nothing here knows Textual."""
