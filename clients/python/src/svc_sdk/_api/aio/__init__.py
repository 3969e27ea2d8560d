"""The same methods for `AsyncSvcClient`."""
