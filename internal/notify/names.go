package notify

import (
	"slices"
	"strings"
)

// The names of the events.
const (
	VersionPublishedEvent      = "version.published"
	VersionYankedEvent         = "version.yanked"
	RolloutAdvancedEvent       = "rollout.advanced"
	RolloutPausedEvent         = "rollout.paused"
	RolloutResumedEvent        = "rollout.resumed"
	RolloutCompletedEvent      = "rollout.completed"
	RolloutAbortedEvent        = "rollout.aborted"
	RolloutHeldEvent           = "rollout.held"
	HealthSuspectEvent         = "health.suspect"
	HealthFailingEvent         = "health.failing"
	AnnouncementPublishedEvent = "announcement.published"
	FeedbackCreatedEvent       = "feedback.created"
	LogGroupCreatedEvent       = "log.group_created"
	LogGroupRegressedEvent     = "log.group_regressed"
	LogGroupSpikedEvent        = "log.group_spiked"
	LogGuardEvent              = "log.guard"
	FileFailedEvent            = "file.failed"
	BackupFailedEvent          = "instance.backup_failed"
	DiskLowEvent               = "instance.disk_low"
	HookDisabledEvent          = "instance.hook_disabled"
	TestEvent                  = "hook.test"
)

// Names lists the names of the events that a hook can select.
var Names = []string{
	VersionPublishedEvent, VersionYankedEvent,
	RolloutAdvancedEvent, RolloutPausedEvent, RolloutResumedEvent, RolloutCompletedEvent, RolloutAbortedEvent, RolloutHeldEvent,
	HealthSuspectEvent, HealthFailingEvent, AnnouncementPublishedEvent, FeedbackCreatedEvent,
	LogGroupCreatedEvent, LogGroupRegressedEvent, LogGroupSpikedEvent, LogGuardEvent, FileFailedEvent,
	BackupFailedEvent, DiskLowEvent, HookDisabledEvent,
}

// All selects all events.
const All = "*"

// IsSelector reports whether a text selects events: it is All, the name of an event, or the first
// word of a name followed by ".*".
func IsSelector(text string) bool {
	return text == All || slices.ContainsFunc(Names, func(name string) bool { return selects(text, name) })
}

// Selected reports whether any of the selectors selects the event with the given name.
func Selected(selectors []string, name string) bool {
	return slices.ContainsFunc(selectors, func(s string) bool { return s == All || selects(s, name) })
}

func selects(selector, name string) bool {
	word, _, _ := strings.Cut(name, ".")
	return selector == name || selector == word+".*"
}

// urgent reports whether a message about the event has a high priority.
func urgent(name string) bool {
	switch name {
	case RolloutHeldEvent, HealthFailingEvent, LogGroupRegressedEvent, LogGroupSpikedEvent:
		return true
	}
	return strings.HasPrefix(name, "instance.")
}
