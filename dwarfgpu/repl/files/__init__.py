"""Commands about files, source text and symbols.

`list_commands`, `disassemble_commands`, `symbol_commands`, `symbol_list_commands` ("info
functions"), `source_file_commands` ("info files", "info sharedlibrary"), `search_commands` …
"""
