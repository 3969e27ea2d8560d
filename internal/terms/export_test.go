package terms

// For the tests of the texts.
var (
	Facts = facts
	Read  = read
)

// Languages are the languages by the part of file names that stands for them.
func Languages() map[string]Language {
	all := map[string]Language{}
	for l, tag := range tags {
		all[tag] = Language(l)
	}
	return all
}

// PlaceholderKeys lists the keys of all placeholders.
func PlaceholderKeys() (keys []string) {
	for _, p := range placeholders {
		keys = append(keys, p.key)
	}
	return keys
}
