package web

import (
	"slices"

	"svc/internal/fault"
	"svc/store"
)

// Access specifies the callers of a route and, for API keys limited to listed projects, the
// project that the call reaches.
type Access struct {
	Kind    AccessKind
	Scopes  []string // one of them is enough
	Project ProjectFrom
}

// AccessKind is a kind of caller.
type AccessKind uint8

// The kinds of callers. There is no kind 0, so that a route cannot be open by accident.
const (
	Public        AccessKind = iota + 1 // everybody
	Administrator                       // a login; no API key
	Scoped                              // a login, or an API key with the scope
	Owner                               // the owner of the data directory, over the control connection
	Signed                              // a caller with a shared secret; the handler verifies the signature of the body
)

// ProjectFrom is the part of a request that names its project.
type ProjectFrom uint8

// The parts of a request that can name its project.
const (
	NoProject   ProjectFrom = iota // refuses keys limited to listed projects
	PathProject                    // key or alias in the path
	PathRecord                     // project of the record in the path
	BodyProject                    // project_key in the body
	EachProject                    // the handler leaves out what the key does not reach
)

// Anyone returns the access of a route that needs no credential.
func Anyone() Access { return Access{Kind: Public} }

// LoginOnly returns the access of a route that needs a login. No API key gives access to it.
func LoginOnly() Access { return Access{Kind: Administrator} }

// OwnerOnly returns the access of a route on the control connection.
func OwnerOnly() Access { return Access{Kind: Owner} }

// BySignature returns the access of deliveries by other services. The handler verifies their
// signature.
func BySignature() Access { return Access{Kind: Signed} }

// Open reports whether a route needs no credential issued by this server.
func (a Access) Open() bool { return a.Kind == Public || a.Kind == Signed }

// ByScope returns the access of a route for the project in its path.
func ByScope(s string) Access { return Access{Kind: Scoped, Scopes: []string{s}, Project: PathProject} }

// AcrossProjects returns the access of a route that spans projects.
func AcrossProjects(s string) Access {
	return Access{Kind: Scoped, Scopes: []string{s}, Project: NoProject}
}

// AnyScope returns the access of a route that shows everything that the caller's scopes permit.
func AnyScope(scopes ...string) Access {
	return Access{Kind: Scoped, Scopes: scopes, Project: EachProject}
}

// From returns a with another source of the project.
func (a Access) From(p ProjectFrom) Access {
	a.Project = p
	return a
}

// Caller is the sender of a request: an administrator, an API key, or, as the zero value, a
// caller without a credential.
type Caller struct {
	Administrator bool
	Key           *store.APIKey
}

// Has reports whether the caller has a scope.
func (c Caller) Has(scope string) bool {
	return c.Administrator || c.Key != nil && slices.Contains(c.Key.Scopes, scope)
}

// Reaches reports whether the caller may touch a project.
func (c Caller) Reaches(p store.ProjectID) bool {
	return c.Administrator || c.Key != nil && c.Key.May(p)
}

// ErrOtherProject refuses a key that is limited to projects. The text is the same
// for every reason, so that a key cannot be used to find out which projects exist.
var ErrOtherProject = fault.New(fault.Unauthorized, "this API key does not reach the project")
