package demo

import "svc/internal/notify"

// Hook is a hook of a project. It is meant to be disabled, so that the demo sends nothing.
type Hook struct {
	Project string // key
	Name    string
	Kind    notify.Kind
	URL     string
	Events  []string
}

// Hooks returns the hooks of the demo, the oldest first.
func Hooks() []Hook {
	return []Hook{
		{
			"quillmere", "Website", notify.Webhook, "https://quillmere.example/hooks/releases",
			[]string{notify.VersionPublishedEvent, notify.VersionYankedEvent, notify.AnnouncementPublishedEvent},
		},
		{
			"quillmere", "On call", notify.Ntfy, "https://ntfy.example/quillmere-alerts",
			[]string{notify.RolloutHeldEvent, "health.*", "log.*"},
		},
	}
}
