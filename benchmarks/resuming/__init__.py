"""How long do thousands of sessions take to be listed, and one to be taken up, forked and taken back?"""
