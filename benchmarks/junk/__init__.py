"""Junk: what must not become a memory, in conversations of 32 kinds, with the good facts among it that must."""
