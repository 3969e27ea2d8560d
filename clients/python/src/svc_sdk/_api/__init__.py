"""The methods of the API.

`clients/generate` makes `requests.py` here and in `aio` from `openapi.yaml`.
"""
