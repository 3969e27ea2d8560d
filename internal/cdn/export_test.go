package cdn

// Sign and CanonicalForm are tested against signatures that others have made.
var (
	Sign          = sign
	CanonicalForm = canonicalForm
)
