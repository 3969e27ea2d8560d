package terms

// Unexported names of the package that the tests of the texts use.
var (
	Facts = facts
	Read  = read
)

// Languages returns the languages by the tags that they have in file names.
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
