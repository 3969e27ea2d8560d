package cdn

// Sign and CanonicalForm are tested against signatures made by other programs.
var (
	Sign          = sign
	CanonicalForm = canonicalForm
)
