"""What keys and clicks do, by what they are about. Each file is a part of the app."""
