"""One path grammar for all rooms: paths found in text, judged and compared by flavour. Never asks a file system."""
