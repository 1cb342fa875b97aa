"""Check the debug information of a file without a machine (`docs/check.md`).

`file` runs the checks, `rules` lists them; `headers`, `entries`, `attributes`, `expressions`,
`layout`, `vendor_attributes` and `call_frame_info` find mistakes in what they are named after.
"""
