"""How much a passage is worth its tokens: clauses, features, weights. Says nothing of what a passage is."""

from cfpm.salience.cues import SUBJECT
from cfpm.salience.passages import Passage, Rating, passages, rate
from cfpm.salience.pieces import Piece, asserted, clauses
from cfpm.salience.weights import Weights, weights

__all__ = ["SUBJECT", "Passage", "Piece", "Rating", "Weights", "asserted", "clauses", "passages", "rate", "weights"]
