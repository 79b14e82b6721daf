"""What a memory keeps of a user's answers to an agent's questions."""
