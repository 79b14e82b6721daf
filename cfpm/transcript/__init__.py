"""What hosts write, as messages and turns: files of many formats, and the dicts of live hosts.

Judges nothing, stores nothing. A live host needs `messages` and `sessions` only, files `reading` with all formats.
"""
