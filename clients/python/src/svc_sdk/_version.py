"""The one place of the version number."""

SDK_VERSION = "0.1.0"
