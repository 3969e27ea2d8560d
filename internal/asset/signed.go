package asset

import (
	"slices"

	"svc/internal/signature"
)

// Signature is a signature of an asset.
type Signature struct {
	Status signature.Status
	KeyID  string // ID of the project's key that verifies the signature, or ""
	Value  string
}

// Trust contains what a project has decided about signatures.
type Trust struct {
	Keys    []signature.TrustedKey
	Enforce bool // an asset needs a valid signature if its kind can be signed with an active key
}

// served lists the kinds that are signed with each scheme.
var served = map[signature.Scheme][]Kind{
	signature.Minisign: {Exe, MSI, AppImage, Deb, RPM, AppTar, Tar, Zip},
	signature.Sparkle:  {AppZip, DMG, PKG, SparkleDiff},
}

// refuses reports whether an asset lacks a signature that the project requires.
func (t Trust) refuses(a *Asset) bool {
	required := false
	for scheme, kinds := range served {
		active := func(k signature.TrustedKey) bool { return k.Scheme == scheme && k.State == signature.Active }
		if !t.Enforce || !slices.Contains(kinds, a.Kind) || !slices.ContainsFunc(t.Keys, active) {
			continue
		}
		if a.Signatures[scheme].Status == signature.Valid {
			return false
		}
		required = true
	}
	return required
}

// findSignatures sets the signatures of an asset and the problems with them. A signature that was
// set by hand takes precedence over those of companions. Of several companions with signatures of
// the same scheme, the first one applies. file is the stored file of the asset, or nil.
func (a *Asset) findSignatures(set Override, file *File, trust Trust) {
	var content *signature.Content
	if file != nil && file.Ready {
		content = &file.Content
	}
	values := []string{set.Minisign, set.Sparkle}
	for _, c := range a.Companions {
		values = append(values, c.signature)
	}
	for _, value := range values {
		s, err := signature.Parse(value)
		if err != nil {
			continue
		}
		if _, known := a.Signatures[s.Scheme]; known {
			continue
		}
		status, by := s.Judge(trust.Keys, content)
		found := Signature{Status: status, Value: s.Value}
		if by != nil {
			found.KeyID = by.ID()
		}
		a.Signatures[s.Scheme] = found
	}
	for _, scheme := range signature.Schemes {
		if a.Signatures[scheme].Status == signature.Invalid && !slices.Contains(a.Problems, SignatureInvalid) {
			a.Problems = append(a.Problems, SignatureInvalid)
		}
	}
	if trust.refuses(a) {
		a.Problems = append(a.Problems, Unsigned)
	}
}

// IsSignature reports whether the file to which an address leads has the name of a signature.
func IsSignature(address string) bool {
	name, ok := FileName(address)
	_, ending := companionOf(name)
	return ok && ending != "" && ending != blockMapEnding
}
