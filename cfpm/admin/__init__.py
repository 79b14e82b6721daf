"""What a user does by hand and sees: remember, forget, pin, accept, reject, roll back; explanations and counts."""
