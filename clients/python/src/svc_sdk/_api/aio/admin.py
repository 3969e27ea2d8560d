"""All methods that need a credential."""

from __future__ import annotations

from .accounts import AsyncAccountMethods
from .analytics import AsyncAnalyticsMethods
from .announcements import AsyncAnnouncementMethods
from .codehost import AsyncCodehostMethods
from .feedbacks import AsyncFeedbackMethods
from .files import AsyncFileMethods
from .logs import AsyncLogMethods
from .projects import AsyncProjectMethods
from .statistics import AsyncStatisticsMethods
from .storage import AsyncStorageMethods
from .terms import AsyncTermsMethods
from .translation import AsyncTranslationMethods
from .versions import AsyncVersionMethods


class AsyncAdmin(
    AsyncProjectMethods,
    AsyncVersionMethods,
    AsyncAnnouncementMethods,
    AsyncFeedbackMethods,
    AsyncLogMethods,
    AsyncAnalyticsMethods,
    AsyncStatisticsMethods,
    AsyncCodehostMethods,
    AsyncTermsMethods,
    AsyncAccountMethods,
    AsyncTranslationMethods,
    AsyncFileMethods,
    AsyncStorageMethods,
):
    """What administrators and programs with an API key call."""
