"""What `make bench` measures: the engine alone, and the site against the thinnest app on the same stack."""
