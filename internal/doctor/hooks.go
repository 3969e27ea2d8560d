package doctor

import "time"

// checkHooks reports each hook that does not work. It also reports if no enabled hook notifies
// people of a failed backup or a full disk.
func checkHooks(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	if p.Facts.Hooks == nil { // the facts come from a server that is older than hooks
		return nil
	}
	var findings []Finding
	told := false
	for _, h := range p.Facts.Hooks {
		told = told || h.Tells && h.Enabled
		command := "svc hooks test " + h.ID
		if h.Project != "" {
			command += " --project " + h.Project
		}
		switch {
		case h.Disabled == "gone":
			findings = append(findings, warning("hook_gone",
				messagef("the hook %q is disabled, because its receiver answered 410 Gone", h.Name),
				messagef("correct its address and enable it, or delete it; to try it: %s", command)))
		case h.Disabled != "":
			findings = append(findings, warning("hook_disabled",
				messagef("the hook %q is disabled, because its receiver failed for too long", h.Name),
				messagef("repair the receiver, then enable the hook: what waits is sent; to try it: %s", command)))
		case h.Enabled && h.Email && (p.Settings.SMTPURL == nil || p.Settings.SMTPFrom == ""):
			findings = append(findings, warning("hook_without_mail",
				messagef("the hook %q sends e-mail, and there is no mail server", h.Name),
				messagef("set smtp.url and smtp.from")))
		case h.Enabled && h.Failing > 0:
			findings = append(findings, warning("hook_failing",
				messagef("the hook %q has failed since %s", h.Name, moment(time.Unix(h.Failing, 0))),
				messagef("its list of deliveries in the console shows why; to try it: %s", command)))
		}
	}
	if !told {
		findings = append(findings, note("hooks_none",
			messagef("nobody is told when a backup fails or the disk is nearly full"),
			messagef("add a hook of the instance that sends instance.*, for example to ntfy or by e-mail")))
	}
	return findings
}
