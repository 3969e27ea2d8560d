package cdn

// Sign and CanonicalForm are exported for a test that compares them with other programs.
var (
	Sign          = sign
	CanonicalForm = canonicalForm
)
