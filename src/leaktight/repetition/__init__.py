"""What does repetition do? An attacker who sees many independent outputs for one secret."""
