"""One question, one answer: typed results with text and data for every front end.

- A value: `subject`, `expression`, `operations`, `reading_answer`, `explain`, `locate`; in many
  lanes `all_lanes` and `lane_answer`; `manner` is what a front end adds.
- A frame: `backtrace`, `frame_line`, `frame_info`, `focus`, `register_values`.
- A machine: `open_machine`, `core_report`, `wave_rows`, `hsa_objects`, `run_kernel`.
- A file: `file_report`, `where`, `checked_file`, `call_frame_listing`, `disassembly`.
- Words of errors: `error_text`, `gdb_error_text`.
"""
