"""The shells whose commands the gate reads. Each reader says which known folders a command asks for; none replaces."""
