"""Conversation: a long session driven with a small window, and killed: is the prompt within it, whole, the same?"""
