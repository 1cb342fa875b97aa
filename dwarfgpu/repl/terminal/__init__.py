"""Line editing, completion, colours, the bottom bar, the pager; and sessions without them.

`prompt` edits lines, `lines` reads them where there is no terminal, `pager` and `bar` are what
they are called.
"""
