"""What Pi and its descendant oh-my-pi have in common: the files of their sessions, and how these tell of each other."""
