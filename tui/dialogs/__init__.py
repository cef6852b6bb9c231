"""What opens above the screens: menus, questions, help. A dialog asks and answers; what is done is in doing/."""
