"""Call frame information: its instructions, its rules, and the rows they make (A.6.4).

`section` finds entries, `frame_entries` reads them (`entry`: CIE and FDE), `decode` and
`instructions` read theirs, `rows` makes rows of rules (`rule`), `unwind` applies one (`frame_row`)
to a frame, and `call_stack` goes from frame to frame.
"""
