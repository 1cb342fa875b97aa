"""AMD GPUs in a core file: the note, the save areas of waves, queues, code objects."""
