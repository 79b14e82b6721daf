"""Rules that a mentor gives an agent over weeks, and changes: which are taken for rules, and which still stand?"""
