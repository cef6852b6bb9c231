"""What opens above the screens: menus, questions, help."""
