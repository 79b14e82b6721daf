"""Of labelled sentences, which become facts: those worth knowing later, or talk of the moment?"""
