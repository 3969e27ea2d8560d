package doctor

import (
	"crypto/tls"
	"slices"
	"strings"
	"time"

	"svc/internal/datadir"
)

// renewBefore is the remaining lifetime below which a certificate should already have been renewed.
const renewBefore = 14 * 24 * time.Hour

// checkCertificates checks the configured certificate and those that the server obtains by itself.
// It ignores certificates of names or authorities that the settings no longer contain, because the
// server does not renew them.
func checkCertificates(p *Installation) []Finding {
	var findings []Finding
	if certificate := p.Settings.Value("tls.cert").Text; certificate != "" {
		key := p.Settings.Value("tls.key").Text
		findings = append(findings, p.checkPair(certificate, key, "given", messagef("replace it; the server loads the new one by itself"))...)
	}
	for _, name := range p.Settings.Domain {
		all := p.match(datadir.Certificates + "/certificates/*/" + name + "/" + name + ".crt") // of each authority
		if len(all) == 0 {
			continue
		}
		newest := slices.MaxFunc(all, func(a, b found) int { return a.info.ModTime().Compare(b.info.ModTime()) })
		key := strings.TrimSuffix(newest.path, ".crt") + ".key"
		findings = append(findings,
			p.checkPair(newest.path, key, "fetched",
				messagef("the server renews it by itself: look in its log for the reason; port 80 or 443 must be open to the internet"))...)
	}
	return findings
}

// checkPair checks a certificate and its key. kind, "given" or "fetched", is the suffix of codes
// with a repair that depends on the origin of the certificate.
func (p *Installation) checkPair(certificate, key, kind string, repair message) []Finding {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return []Finding{problem("certificate_unusable_"+kind, messagef("%s and its key cannot be used: %v", certificate, err), repair)}
	}
	end := pair.Leaf.NotAfter
	switch left := end.Sub(p.Now); {
	case left <= 0:
		return []Finding{problem("certificate_expired_"+kind, messagef("%s has expired at %s", certificate, moment(end)), repair)}
	case pair.Leaf.NotBefore.Sub(p.Now) > 0:
		return []Finding{problem("certificate_early", messagef("%s is not valid before %s", certificate, moment(pair.Leaf.NotBefore)),
			messagef("set the clock, or wait"))}
	case left < renewBefore:
		return []Finding{warning("certificate_expires_"+kind, messagef("%s expires at %s, in %d days", certificate, moment(end), days(left)),
			repair)}
	}
	return p.checkSecrecy(key, "file_readable", messagef("others can read %s", key))
}
