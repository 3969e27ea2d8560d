package terms

// Placeholder is a blank in a built-in text that the operator of an instance fills in.
type Placeholder struct {
	Key      string // as in {{ key }}
	Required bool   // a text without it is not complete
	Label    string // of the field in a form
	Hint     string // what to write there, and why
	Example  string
}

// placeholders are all that built-in texts may contain.
var placeholders = []struct {
	key      string
	required bool
	words    [languages]words
}{
	{"effective_date", true, [languages]words{
		English: {"Effective date", "The day from which this text applies. Give users time to read it first.", "1 January 2027"},
	}},
	{"operator_name", true, [languages]words{
		English: {"Operator", "Full legal name of the person or company that runs this instance and is responsible for the data on it.", "Example Software GmbH"},
	}},
	{"operator_address", true, [languages]words{
		English: {"Registered address", "Postal address of the operator, as in the register of companies.", "Hauptstraße 1, 10115 Berlin, Germany"},
	}},
	{"contact_email", true, [languages]words{
		English: {"Privacy contact", "E-mail address that somebody reads: users send their requests there.", "privacy@example.com"},
	}},
	{"dpo_contact", false, [languages]words{
		English: {"Data protection officer", "Name and contact of the data protection officer or of a representative. Say so if there is none.", "We have not appointed a data protection officer, because the law does not require one."},
	}},
	{"hosting_provider", true, [languages]words{
		English: {"Infrastructure providers", "Who runs the servers, the storage of files and backups, and a CDN if there is one.", "Example Cloud Ltd. (servers and backups), Example CDN Inc. (file downloads)"},
	}},
	{"storage_region", true, [languages]words{
		English: {"Storage location", "Country, and region if you know it, of the servers and of the backups.", "Frankfurt am Main, Germany"},
	}},
	{"geo_providers", true, [languages]words{
		English: {"Source of regions", "How addresses become regions: with the built-in country table, or a database file that you installed. Both are on the server; no outside service is asked.", "the country table that is part of the software"},
	}},
	{"detail_retention", true, [languages]words{
		English: {"Retention of feedback and logs", "How long you keep feedback and logs, and who removes them. The software does not delete them by itself.", "Our support team deletes feedback two years after the matter is closed. Logs are removed together with the project that they belong to."},
	}},
	{"response_days", true, [languages]words{
		English: {"Time to answer requests", "Within how many days you answer requests of users. The GDPR allows one month.", "30"},
	}},
}

// words describe a placeholder to people.
type words struct{ label, hint, example string }

// describe finds a placeholder by its key.
func describe(key string, l Language) (p Placeholder, ok bool) {
	for _, one := range placeholders {
		if one.key == key {
			w := one.words[l]
			return Placeholder{Key: key, Required: one.required, Label: w.label, Hint: w.hint, Example: w.example}, true
		}
	}
	return p, false
}
