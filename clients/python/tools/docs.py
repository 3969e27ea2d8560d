"""Writes the documentation of the API into a folder: tools/docs.py FOLDER."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pdoc

import svc_sdk

if __name__ == "__main__":
    warnings.simplefilter("error")
    for name in svc_sdk.__all__:
        # Names that are loaded on first use.
        getattr(svc_sdk, name)
    pdoc.pdoc("svc_sdk", "svc_sdk.types", output_directory=Path(sys.argv[1]))
