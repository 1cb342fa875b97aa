"""Command-line options that several commands share, and the machines that they describe."""
