"""What is shown: each panel a function of a session and a size, in lines of text. Nothing here knows Textual."""
