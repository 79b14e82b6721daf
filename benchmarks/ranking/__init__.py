"""Learns how much each signal of recall counts, and says what conversations kept apart score."""
