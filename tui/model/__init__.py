"""The state behind the screens, without Textual."""
