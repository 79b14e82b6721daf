"""What happens to accepted facts: merged with what is known, reinforced, superseded, and in time let go."""
