package svcsdk

import (
	"context"
	"net/http"
)

// GetMe says who is signed in.
func (a *Admin) GetMe(ctx context.Context) (*AuthUser, error) {
	return fetch[AuthUser](ctx, a.call(http.MethodGet, "/auth/me"))
}

// GetAdminProfile reads the administrator's account.
func (a *Admin) GetAdminProfile(ctx context.Context) (*AuthUser, error) {
	return fetch[AuthUser](ctx, a.call(http.MethodGet, "/auth/admin-profile"))
}

// UpdateAdminProfile changes user name, password, or both. Needs the current password. A change
// ends every session, also the one that made it; sign in again. With neither a name nor a new
// password nothing changes.
func (a *Admin) UpdateAdminProfile(ctx context.Context, in ProfileInput) (*AuthUser, error) {
	return fetch[AuthUser](ctx, a.call(http.MethodPatch, "/auth/admin-profile").body(in))
}

// ChangePassword changes the password. Ends every session, also the one that made the change.
func (a *Admin) ChangePassword(ctx context.Context, in PasswordInput) error {
	return perform(ctx, a.call(http.MethodPatch, "/auth/password").body(in))
}

// ChangeAccount changes the user name. Ends every session, also the one that made the change.
func (a *Admin) ChangeAccount(ctx context.Context, in AccountInput) error {
	return perform(ctx, a.call(http.MethodPatch, "/auth/account").body(in))
}

// ListAPIScopes lists the scopes that a key can have.
func (a *Admin) ListAPIScopes(ctx context.Context) (*ScopeList, error) {
	return fetch[ScopeList](ctx, a.call(http.MethodGet, "/auth/api-scopes"))
}

// ListAPIKeys lists all keys, newest first. Not paged. Revoked keys are listed, too; the key texts
// are not known to the server.
func (a *Admin) ListAPIKeys(ctx context.Context) (*List[APIKey], error) {
	return fetch[List[APIKey]](ctx, a.call(http.MethodGet, "/auth/api-keys"))
}

// CreateAPIKey creates a key. The answer is the only place where the text of the key can ever be
// read.
func (a *Admin) CreateAPIKey(ctx context.Context, in APIKeyCreate) (*APIKeyCreated, error) {
	return fetch[APIKeyCreated](ctx, a.call(http.MethodPost, "/auth/api-keys").body(in))
}

// GetAPIKey reads a key, without its text.
func (a *Admin) GetAPIKey(ctx context.Context, id string) (*APIKey, error) {
	return fetch[APIKey](ctx, a.call(http.MethodGet, "/auth/api-keys/{id}", id))
}

// UpdateAPIKey changes name, scopes, projects or expiry of a key. The text of the key stays as it
// is. A revoked key cannot be changed.
func (a *Admin) UpdateAPIKey(ctx context.Context, id string, in APIKeyFields) (*APIKeyUpdated, error) {
	return fetch[APIKeyUpdated](ctx, a.call(http.MethodPatch, "/auth/api-keys/{id}", id).body(in))
}

// RevokeAPIKey revokes a key. Ends it at once, together with a former text in its grace period.
// Repeating does no harm.
func (a *Admin) RevokeAPIKey(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/auth/api-keys/{id}", id))
}

// RotateAPIKey gives a key a new text. Name, scopes, projects and expiry stay. The former text
// stops at once, or keeps working for the grace period, but never longer than the key itself. Only
// the latest former text is kept.
func (a *Admin) RotateAPIKey(ctx context.Context, id string, in APIKeyRotateInput) (*APIKeyRotated, error) {
	return fetch[APIKeyRotated](ctx, a.call(http.MethodPost, "/auth/api-keys/{id}/rotate", id).body(in))
}

// Scope is what an API key may do, as in "versions:write".
type Scope string

// AuthUser is who is signed in.
type AuthUser struct {
	// Id of the account.
	ID string `json:"id"`
	// Name to sign in with.
	Username string `json:"username"`
	// There is one role.
	Role string `json:"role"`
	// Always false.
	MustChangePassword bool `json:"must_change_password"`
}

// Login is the answer to a sign-in.
type Login struct {
	// Send it as `Authorization: Bearer …`.
	AccessToken string `json:"access_token"`
	// Seconds until the token ends.
	ExpiresIn int64    `json:"expires_in"`
	User      AuthUser `json:"user"`
}

// LoginInput is who signs in.
type LoginInput struct {
	Username string `json:"username"`
	Password string `json:"password"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ProfileInput is the account as it should be.
type ProfileInput struct {
	// The password as it is, to prove who asks.
	CurrentPassword string `json:"current_password"`
	// New user name; trimmed.
	Username *string `json:"username,omitempty"`
	// New password; taken exactly as sent.
	NewPassword *string `json:"new_password,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// PasswordInput is the password as it should be.
type PasswordInput struct {
	// The password as it is.
	CurrentPassword string `json:"current_password"`
	// New password; taken exactly as sent.
	NewPassword string `json:"new_password"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// AccountInput is the user name as it should be.
type AccountInput struct {
	// The password as it is.
	CurrentPassword string `json:"current_password"`
	// New user name; trimmed.
	Username string `json:"username"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ScopeList is the scopes that a key can have.
type ScopeList struct {
	// All scopes.
	Data []Scope `json:"data"`
	// The scopes of a key for which none are named.
	Default []Scope `json:"default"`
}

// APIKey is a key for CI and scripts, without its text.
type APIKey struct {
	// Id of the key.
	ID string `json:"id"`
	// What the key is for.
	Name string `json:"name"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// Whether the key is for every project.
	AllProjects bool `json:"all_projects"`
	// Current keys of the projects it is limited to; empty when it is for all.
	ProjectIDs []string `json:"project_ids"`
	// False once revoked. A key that has ended by itself is still active.
	IsActive bool `json:"is_active"`
	// When it was made.
	CreatedAt int64 `json:"created_at"`
	// When it ends; null if never.
	ExpiresAt *int64 `json:"expires_at"`
	// When it was revoked.
	RevokedAt *int64 `json:"revoked_at"`
	// When its present text was last used; exact to a minute.
	LastUsedAt *int64 `json:"last_used_at"`
	// When the former text stops working.
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}

// APIKeyCreate is a new key.
type APIKeyCreate struct {
	// What the key is for. Trimmed; blank leaves an existing name as it is.
	Name string `json:"name"`
	// What the key may do. A new key without any gets `versions:write`; an existing one must keep at
	// least one.
	Scopes []Scope `json:"scopes,omitzero"`
	// Days from now until the key ends. Left out in an update: the end stays.
	ExpiresInDays *int64 `json:"expires_in_days,omitempty"`
	// True: the key does not end, whatever `expires_in_days` says. False in an update, without days:
	// it ends in 30 days.
	NeverExpires *bool `json:"never_expires,omitempty"`
	// True: the key is for every project and `project_ids` is ignored. Left out: true, or false when
	// `project_ids` names some.
	AllProjects *bool `json:"all_projects,omitempty"`
	// Keys or former keys of the projects that the key is for. Needed when `all_projects` is false.
	// Renaming a project does not take it away.
	ProjectIDs []string `json:"project_ids,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// APIKeyFields are the fields of a key that change.
type APIKeyFields struct {
	// What the key is for. Trimmed; blank leaves an existing name as it is.
	Name *string `json:"name,omitempty"`
	// What the key may do. A new key without any gets `versions:write`; an existing one must keep at
	// least one.
	Scopes []Scope `json:"scopes,omitzero"`
	// Days from now until the key ends. Left out in an update: the end stays.
	ExpiresInDays *int64 `json:"expires_in_days,omitempty"`
	// True: the key does not end, whatever `expires_in_days` says. False in an update, without days:
	// it ends in 30 days.
	NeverExpires *bool `json:"never_expires,omitempty"`
	// True: the key is for every project and `project_ids` is ignored. Left out: true, or false when
	// `project_ids` names some.
	AllProjects *bool `json:"all_projects,omitempty"`
	// Keys or former keys of the projects that the key is for. Needed when `all_projects` is false.
	// Renaming a project does not take it away.
	ProjectIDs []string `json:"project_ids,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// APIKeyRotateInput says how long the former text of a key is accepted.
type APIKeyRotateInput struct {
	// How long the former text keeps working.
	GracePeriodMinutes *int64 `json:"grace_period_minutes,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// APIKeyCreated is a new key with its text.
type APIKeyCreated struct {
	// Id of the key.
	ID string `json:"id"`
	// What the key is for.
	Name string `json:"name"`
	// The text of the key. Keep it; it is not shown again.
	Token string `json:"token"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// Whether the key is for every project.
	AllProjects bool `json:"all_projects"`
	// Keys of the projects it is limited to; empty when it is for all.
	ProjectIDs []string `json:"project_ids"`
	// When it ends; null if never.
	ExpiresAt *int64 `json:"expires_at"`
	// When it was made.
	CreatedAt int64 `json:"created_at"`
}

// APIKeyUpdated is a key after a change.
type APIKeyUpdated struct {
	// Id of the key.
	ID string `json:"id"`
	// What the key is for.
	Name string `json:"name"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// Whether the key is for every project.
	AllProjects bool `json:"all_projects"`
	// Keys of the projects it is limited to; empty when it is for all.
	ProjectIDs []string `json:"project_ids"`
	// When it ends; null if never.
	ExpiresAt *int64 `json:"expires_at"`
	// When it was made.
	CreatedAt int64 `json:"created_at"`
}

// APIKeyRotated is the new text of a key.
type APIKeyRotated struct {
	// Id of the key.
	ID string `json:"id"`
	// The new text. Keep it; it is not shown again.
	Token string `json:"token"`
	// The grace period asked for.
	GracePeriodMinutes int64 `json:"grace_period_minutes"`
	// When the former text stops working; null if it already has.
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}
