"""What language says: sentences, cues from lexicons, negation and modality. It decides nothing about memory."""

from cfpm.text.lexicon import Cue, Lexicon, Phrases, Sections, lexicon, sections_of
from cfpm.text.modality import is_question, marks_around
from cfpm.text.sentences import Kind, Sentence, sentences
from cfpm.text.words import content_words, has_cjk, is_acknowledgement, is_low_information, only_reacts, plain_words

__all__ = [
    "Cue",
    "Kind",
    "Lexicon",
    "Phrases",
    "Sections",
    "Sentence",
    "content_words",
    "has_cjk",
    "is_acknowledgement",
    "is_low_information",
    "is_question",
    "lexicon",
    "marks_around",
    "only_reacts",
    "plain_words",
    "sections_of",
    "sentences",
]
