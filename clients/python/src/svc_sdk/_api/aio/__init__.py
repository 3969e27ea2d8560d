"""The same methods for `AsyncSvcClient`, made by `tools/make_async.py`."""
