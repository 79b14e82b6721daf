"""Measures how much of the evidence of a question is recalled: LoCoMo and BEAM, with baselines and ablations."""
