"""A standing search for wrong guarantees: our answers against independent routes."""
