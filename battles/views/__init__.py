"""Pages of the battles."""
