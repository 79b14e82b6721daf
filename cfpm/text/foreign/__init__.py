"""Text that nobody in the conversation said: which of its lines speak to the reader or of people. It judges no fact."""

from cfpm.text.foreign.speech import orders_in, speech_lines, with_speech_quoted, without_speech

__all__ = ["orders_in", "speech_lines", "with_speech_quoted", "without_speech"]
