"""What answers requests: the board, the lobby, the moderator's desk."""
