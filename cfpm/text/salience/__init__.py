"""How much a passage is worth its tokens: clauses, features, weights. Says nothing of what a passage is."""

from cfpm.text.salience.clauses import Piece, asserted, bare, clauses
from cfpm.text.salience.cues import SUBJECT
from cfpm.text.salience.passages import Passage, Rating, passages, rate
from cfpm.text.salience.weights import Weights, weights

__all__ = [
    "SUBJECT",
    "Passage",
    "Piece",
    "Rating",
    "Weights",
    "asserted",
    "bare",
    "clauses",
    "passages",
    "rate",
    "weights",
]
