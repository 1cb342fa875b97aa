"""One question, one answer: typed results with text and data for every front end."""
