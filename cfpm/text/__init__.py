"""What language says: sentences, cues from lexicons, negation and modality. It decides nothing about memory."""

from cfpm.text.lexicon import Cue, Lexicon, Phrases, lexicon
from cfpm.text.modality import is_question, marks_around
from cfpm.text.sentences import Kind, Sentence, sentences
from cfpm.text.words import (
    content_words,
    has_cjk,
    is_acknowledgement,
    is_low_information,
    lexicons_for,
    only_reacts,
    plain_words,
)

__all__ = [
    "Cue",
    "Kind",
    "Lexicon",
    "Phrases",
    "Sentence",
    "content_words",
    "has_cjk",
    "is_acknowledgement",
    "is_low_information",
    "is_question",
    "lexicon",
    "lexicons_for",
    "marks_around",
    "only_reacts",
    "plain_words",
    "sentences",
]
