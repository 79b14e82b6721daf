"""Judges drafts: reason codes, one rule per code, and their order.

Hands on no names: who needs the codes loads no rules.
"""
