package asset

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svc/internal/platform"
	"svc/internal/signature"
)

// Override contains the fields of an asset that were set by hand. A field that is "" or nil
// was not set. The size and the checksums apply only to links that lead to no stored file.
type Override struct {
	Kind          Kind              `json:"kind,omitempty"`
	Platform      platform.Platform `json:"platform,omitempty"`
	Arch          Arch              `json:"arch,omitempty"`
	Variant       string            `json:"variant,omitempty"`
	OSMin         string            `json:"os_min,omitempty"`
	Hidden        *bool             `json:"hidden,omitempty"`
	BundleVersion string            `json:"bundle_version,omitempty"`
	DeltaFrom     string            `json:"delta_from,omitempty"`
	Size          *int64            `json:"size,omitempty"`
	SHA1          string            `json:"sha1,omitempty"`
	SHA256        string            `json:"sha256,omitempty"`
	SHA512        string            `json:"sha512,omitempty"`

	// Minisign and Sparkle are signatures in the form of signature.Signature.Value.
	Minisign string `json:"minisign,omitempty"`
	Sparkle  string `json:"sparkle,omitempty"`
}

// IsZero reports whether nothing was set.
func (o Override) IsZero() bool { return o == Override{} }

var (
	variantRule = regexp.MustCompile(`^[a-z0-9._-]{1,32}$`)
	osMinRule   = regexp.MustCompile(`^[0-9.]{1,32}$`)
	bundleRule  = regexp.MustCompile(`^[0-9A-Za-z.+-]{1,64}$`)
)

// Problems returns a message for each field that has an invalid value. Each message names
// the field and the rule.
func (o Override) Problems() (problems []string) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	check(o.Kind == "" || slices.Contains(Kinds, o.Kind), "kind must be one of %s", join(Kinds))
	check(o.Platform == "" || slices.Contains(platform.All[:], o.Platform), "platform must be one of %s", join(platform.All[:]))
	check(o.Arch == "" || slices.Contains(Archs, o.Arch), "arch must be one of %s", join(Archs))
	check(o.Variant == "" || variantRule.MatchString(o.Variant), "variant must have at most 32 characters a-z, 0-9, dots, _ and -")
	check(o.OSMin == "" || osMinRule.MatchString(o.OSMin), "os_min must have at most 32 characters, digits and dots")
	for _, v := range [...]struct{ name, value string }{{"bundle_version", o.BundleVersion}, {"delta_from", o.DeltaFrom}} {
		check(v.value == "" || bundleRule.MatchString(v.value), "%s must have at most 64 letters, digits, dots, + and -", v.name)
	}
	check(o.Size == nil || *o.Size >= 0, "size must be an integer of at least 0")
	for _, sum := range [...]struct {
		name, value string
		length      int
	}{{"sha1", o.SHA1, 40}, {"sha256", o.SHA256, 64}, {"sha512", o.SHA512, 128}} {
		_, err := hex.DecodeString(sum.value)
		check(sum.value == "" || err == nil && len(sum.value) == sum.length, "%s must be %d hexadecimal digits", sum.name, sum.length)
	}
	for _, s := range [...]struct {
		scheme signature.Scheme
		value  string
	}{{signature.Minisign, o.Minisign}, {signature.Sparkle, o.Sparkle}} {
		if signature.IsPrivate(s.value) {
			check(false, "%s %v", s.scheme, signature.ErrPrivate)
			continue
		}
		parsed, err := signature.Parse(s.value)
		check(s.value == "" || err == nil && parsed.Scheme == s.scheme, "%s must be a signature of %s", s.scheme, s.scheme)
	}
	return problems
}

// Sign sets the signature of a scheme, or removes it if value is "".
func (o *Override) Sign(scheme signature.Scheme, value string) {
	if scheme == signature.Sparkle {
		o.Sparkle = value
	} else {
		o.Minisign = value
	}
}

// Signed returns the signature of a scheme that was set by hand, or "".
func (o Override) Signed(scheme signature.Scheme) string {
	if scheme == signature.Sparkle {
		return o.Sparkle
	}
	return o.Minisign
}

// Sums reports whether the size or a checksum was set.
func (o Override) Sums() bool {
	return o.Size != nil || o.SHA1 != "" || o.SHA256 != "" || o.SHA512 != ""
}

func join[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// apply sets the fields of an asset that were set by hand, except its kind and platform.
func (o Override) apply(a *Asset) {
	a.Arch = firstOf(o.Arch, a.Arch)
	a.Variant = o.Variant
	a.OSMin = firstOf(o.OSMin, a.OSMin)
	a.BundleVersion = firstOf(o.BundleVersion, a.BundleVersion)
	if a.Kind == SparkleDiff {
		a.DeltaFrom = o.DeltaFrom
	}
	if o.Hidden != nil {
		a.Hidden = *o.Hidden
	}
	if a.FileID != "" {
		return
	}
	a.Size = o.Size
	a.SHA1, a.SHA256, a.SHA512 = strings.ToLower(o.SHA1), strings.ToLower(o.SHA256), strings.ToLower(o.SHA512)
}
