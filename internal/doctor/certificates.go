package doctor

import (
	"crypto/tls"
	"slices"
	"strings"
	"time"

	"svc/internal/datadir"
)

// renewBefore is the remaining lifetime at which the server should already have renewed a
// certificate.
const renewBefore = 14 * 24 * time.Hour

// checkCertificates checks the configured certificate and the certificates that the server obtains.
// It ignores certificates for names or from authorities that are no longer in the settings, because
// the server does not renew them.
func checkCertificates(p *Installation) []Finding {
	var findings []Finding
	if certificate := p.Settings.Value("tls.cert").Text; certificate != "" {
		key := p.Settings.Value("tls.key").Text
		findings = append(findings, p.checkPair(certificate, key, "given", messagef("replace it; the server loads the new one by itself"))...)
	}
	for _, name := range p.Settings.Domain {
		all := p.match(datadir.Certificates + "/certificates/*/" + name + "/" + name + ".crt") // the certificates of all authorities for the name
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

// checkPair checks a certificate and its key. kind is "given" for a configured certificate and
// "fetched" for one that the server has obtained. If the repair depends on the kind, the code
// of the finding ends with that kind.
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
