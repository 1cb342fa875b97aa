"""Facts about a file: its contents and its call frame information.

`file_report` collects what "info FILE" shows; `call_frame_listing` is that of "frames".
"""
