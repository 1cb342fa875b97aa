"""Line editing, completion, colours, the bottom bar, the pager; and sessions without them.

`prompt` edits lines, `plain_prompt` reads them where there is no terminal, `pager` and
`bottom_bar` are what they are called.
"""
