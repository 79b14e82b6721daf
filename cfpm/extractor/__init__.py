"""Turns into drafts: one module per kind of fact, run in order by `extractor.py`.

Hands on no names: who needs what a call does loads nothing that finds facts.
"""
