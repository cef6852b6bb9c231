"""The state behind the screens. Nothing here knows Textual."""
