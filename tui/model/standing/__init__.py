"""What a screen shows at one moment, computed from the folds."""
