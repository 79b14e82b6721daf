"""What the user allowed and refused, plan and todos after each of many compactions, by strategy and budget."""
