"""Are erased words found in any byte, also after a kill in the middle, and does what was forgotten come back?"""
