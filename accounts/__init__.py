"""People: who they are, how they sign in, and how they like the pages."""
