"""Set up a dispatch before its first instruction: arguments, packets and waves."""
