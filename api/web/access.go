package web

import (
	"slices"

	"svc/internal/fault"
	"svc/store"
)

// Access specifies which callers may use a route. For API keys that are limited to listed projects,
// it also specifies which part of the request names the project.
type Access struct {
	Kind    AccessKind
	Scopes  []string // the caller must have one of them
	Project ProjectFrom
}

// AccessKind is a kind of caller.
type AccessKind uint8

// The kinds of callers. Kind 0 is invalid, so that a route cannot be public by accident.
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
	EachProject                    // the response omits projects that the key cannot access
)

// Anyone returns the access rule of a route that needs no credential.
func Anyone() Access { return Access{Kind: Public} }

// LoginOnly returns the access rule of a route that needs a login. No API key gives access to it.
func LoginOnly() Access { return Access{Kind: Administrator} }

// OwnerOnly returns the access rule of a route that is only reachable over the control connection.
func OwnerOnly() Access { return Access{Kind: Owner} }

// BySignature returns the access rule of a route that receives webhook deliveries from other
// services. The handler verifies the signature of each delivery.
func BySignature() Access { return Access{Kind: Signed} }

// Open reports whether a route can be called without a credential issued by this server.
func (a Access) Open() bool { return a.Kind == Public || a.Kind == Signed }

// ByScope returns the access rule of a route that requires the given scope and acts on the project
// in its path.
func ByScope(s string) Access { return Access{Kind: Scoped, Scopes: []string{s}, Project: PathProject} }

// AcrossProjects returns the access rule of a route that requires the given scope and spans all
// projects.
func AcrossProjects(s string) Access {
	return Access{Kind: Scoped, Scopes: []string{s}, Project: NoProject}
}

// AnyScope returns the access rule of a route that requires any one of the scopes. The route's
// response contains only what the caller's scopes permit.
func AnyScope(scopes ...string) Access {
	return Access{Kind: Scoped, Scopes: scopes, Project: EachProject}
}

// From returns a copy of the access rule with Project set to p.
func (a Access) From(p ProjectFrom) Access {
	a.Project = p
	return a
}

// Caller is the sender of a request: an administrator or an API key. The zero value is a caller
// without a credential.
type Caller struct {
	Administrator bool
	Key           *store.APIKey
}

// Has reports whether the caller has the given scope. Administrators have every scope.
func (c Caller) Has(scope string) bool {
	return c.Administrator || c.Key != nil && slices.Contains(c.Key.Scopes, scope)
}

// Reaches reports whether the caller may access the project p.
func (c Caller) Reaches(p store.ProjectID) bool {
	return c.Administrator || c.Key != nil && c.Key.May(p)
}

// ErrOtherProject rejects a key that is limited to other projects than that of the request. The
// text is the same whether or not the project exists, so that a key cannot be used to find out
// which projects exist.
var ErrOtherProject = fault.New(fault.Unauthorized, "this API key does not reach the project")
