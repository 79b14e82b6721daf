"""Trains the heads that tell what a sentence is, and shows how they do on authors kept apart."""
