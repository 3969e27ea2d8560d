"""All methods that need a credential."""

from __future__ import annotations

from .accounts import AccountMethods
from .analytics import AnalyticsMethods
from .announcements import AnnouncementMethods
from .codehost import CodehostMethods
from .feedbacks import FeedbackMethods
from .files import FileMethods
from .instance import InstanceMethods
from .logs import LogMethods
from .projects import ProjectMethods
from .statistics import StatisticsMethods
from .storage import StorageMethods
from .terms import TermsMethods
from .translation import TranslationMethods
from .versions import VersionMethods


class Admin(
    ProjectMethods,
    VersionMethods,
    AnnouncementMethods,
    FeedbackMethods,
    LogMethods,
    AnalyticsMethods,
    StatisticsMethods,
    CodehostMethods,
    TermsMethods,
    AccountMethods,
    TranslationMethods,
    FileMethods,
    StorageMethods,
    InstanceMethods,
):
    """What administrators and programs with an API key call."""
