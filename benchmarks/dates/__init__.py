"""Whether the date that memory puts beside a sentence is the one that was meant, English and Chinese."""
