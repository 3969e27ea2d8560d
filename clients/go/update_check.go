package svcsdk

import (
	"context"
	"net/http"
)

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

// SimulateUpdateCheck sees what the update check answers a client, and why. It is counted in no
// statistics.
func (a *Admin) SimulateUpdateCheck(ctx context.Context, in UpdateCheckSimulationInput) (*UpdateCheckSimulation, error) {
	return fetch[UpdateCheckSimulation](ctx, a.call(http.MethodPost, "/admin/projects/{k}/versions/update-check-simulation").body(in))
}

// UpdateCheckSimulationInput is the state of a client: the display version, the comparable version,
// or both.
type UpdateCheckSimulationInput struct {
	// The display version that is installed.
	CurrentVersion Opt[string] `json:"current_version,omitzero"`
	// The comparable version that is installed; decides when both are sent.
	CurrentComparableVersion Opt[string] `json:"current_comparable_version,omitzero"`
	// Whether previews may be offered.
	IncludePreview *bool `json:"include_preview,omitempty"`
	// The language wanted for the texts of the versions.
	Locale Opt[string] `json:"locale,omitzero"`
	// What it runs on. The answer does not depend on it, a reason may.
	Platform Opt[Platform] `json:"platform,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// UpdateCheckSimulation is what the update check answers a client, and why.
type UpdateCheckSimulation struct {
	// Status of the update check: 200, 400 when there is nothing to compare the client by, 404 when
	// there is nothing to offer.
	Status int64 `json:"status"`
	// Text of the error; null with status 200.
	Message *string `json:"message"`
	// The answer; null when it is an error.
	Answer *UpdateCheck `json:"answer"`
	// The rules that led to it, in the order in which they apply.
	Reasons []UpdateCheckReason `json:"reasons"`
}

// UpdateCheckReason is a rule that applied, with what it is about. Facts that do not belong to it
// are null.
type UpdateCheckReason struct {
	// Which rule, such as "milestone_guard". Values that this library does not know are kept.
	Code ReasonCode `json:"code"`
	// Id of the version it is about.
	VersionID *string `json:"version_id"`
	// Its display version.
	Version *string `json:"version"`
	// Its comparable version.
	ComparableVersion *string `json:"comparable_version"`
	// Lower end of the range in which updates are optional; null is unbounded.
	MinComparableVersion *string `json:"min_comparable_version"`
	// Upper end of it.
	MaxComparableVersion *string `json:"max_comparable_version"`
	// Platforms that the version is for.
	Platforms []Platform `json:"platforms"`
	// When it is published.
	PublishedAt *int64 `json:"published_at"`
}
