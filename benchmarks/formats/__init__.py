"""Are hosts' files read whole, each word with whoever said it?"""
