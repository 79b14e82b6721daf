"""Salience: trains the weights that rank passages, with whole conversations kept apart."""
