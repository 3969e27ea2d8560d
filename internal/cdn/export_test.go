package cdn

// Sign and CanonicalForm are exported for a test that compares their results with those
// of other programs.
var (
	Sign          = sign
	CanonicalForm = canonicalForm
)
