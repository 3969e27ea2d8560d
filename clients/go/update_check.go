package svcsdk

// ReasonCode says why there is an update, or why it is required. Values that this library does
// not know are kept.
type ReasonCode string

// The reasons.
const (
	ReasonNewerVersion      ReasonCode = "newer_version_available"
	ReasonCurrentDeprecated ReasonCode = "current_version_deprecated"
	ReasonOutsideRange      ReasonCode = "outside_optional_update_range"
	ReasonMilestone         ReasonCode = "milestone_guard"
)

// UpdateCheckInput is what is installed: the display version, the comparable version, or both.
type UpdateCheckInput struct {
	// The display version that is installed.
	CurrentVersion Opt[string] `json:"current_version,omitzero"`
	// The comparable version that is installed; decides when both are sent.
	CurrentComparableVersion Opt[string] `json:"current_comparable_version,omitzero"`
	// Whether previews may be offered.
	IncludePreview *bool `json:"include_preview,omitempty"`
	// The language wanted for the texts of the versions.
	Locale Opt[string] `json:"locale,omitzero"`
	// What the app runs on. For statistics only; it never changes the answer.
	Platform *string `json:"platform,omitempty"`
	// Version of the system it runs on. For statistics only.
	PlatformVersion *string `json:"platform_version,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// UpdateCheck says whether there is an update, and whether it is required.
type UpdateCheck struct {
	// There is something newer; `target_version` is what to install.
	ShouldUpdate bool `json:"should_update"`
	// The app must update before it goes on: what is installed is deprecated, or outside the range in
	// which updates are optional.
	Required bool `json:"required"`
	// Why; in the order in which the codes are listed.
	ReasonCodes []ReasonCode `json:"reason_codes"`
	// Display version of the published version that was recognised; otherwise what was sent.
	CurrentVersion *string `json:"current_version"`
	// The version that was compared.
	CurrentComparableVersion string      `json:"current_comparable_version"`
	LatestVersion            VersionInfo `json:"latest_version"`
	// The greatest preview, whether or not previews were asked for; null when there is none.
	LatestPreviewVersion *VersionInfo `json:"latest_preview_version"`
	// What to install now; null when there is nothing newer.
	TargetVersion *VersionInfo   `json:"target_version"`
	Milestone     MilestoneState `json:"milestone"`
}

// MilestoneState says which versions of an update check are milestones.
type MilestoneState struct {
	// What is installed is a milestone.
	Current bool `json:"current"`
	// The latest version is a milestone.
	Latest bool `json:"latest"`
	// The target was chosen because it is a milestone that must not be skipped.
	TargetIsMilestone bool `json:"target_is_milestone"`
}
