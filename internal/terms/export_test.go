package terms

// These are exported for the tests of the texts.
var (
	Facts = facts
	Read  = read
)

// Languages returns the languages by the tags that denote them in file names.
func Languages() map[string]Language {
	all := map[string]Language{}
	for l, tag := range tags {
		all[tag] = Language(l)
	}
	return all
}

// PlaceholderKeys returns the keys of all placeholders.
func PlaceholderKeys() (keys []string) {
	for _, p := range placeholders {
		keys = append(keys, p.key)
	}
	return keys
}
