"""The methods of the API, an area a file.

The package `aio` is made from these files by `tools/make_async.py`.
"""
