package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"svc/api/web"
	"svc/internal/locale"
	"svc/internal/terms"
)

// maxWishes limits the number of languages that are read from a header.
const maxWishes = 16

// wishes returns the tags of the visitor's preferred languages, most preferred first. They come
// from the query or, if the query has no language, from Accept-Language. asked reports whether the
// query has a language. A blank language in the query selects the untranslated texts.
func wishes(r *web.Request) (tags []string, asked bool) {
	if r.Sent("locale") {
		return []string{r.Query("locale")}, true
	}
	return acceptedLanguages(strings.Join(r.Header["Accept-Language"], ",")), false
}

// acceptedLanguages returns the tags in an Accept-Language header in descending order of weight
// (RFC 9110 section 12.5.4). It omits wildcards and tags with weight 0.
func acceptedLanguages(header string) []string {
	type wish struct {
		tag    string
		weight float64
	}
	var all []wish
	for part := range strings.SplitSeq(header, ",") {
		tag, parameter, _ := strings.Cut(part, ";")
		w := wish{strings.TrimSpace(tag), 1}
		if name, value, given := strings.Cut(parameter, "="); given && strings.EqualFold(strings.TrimSpace(name), "q") {
			var err error
			if w.weight, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
				continue
			}
		}
		if w.tag != "" && w.tag != "*" && w.weight > 0 && len(all) < maxWishes {
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b wish) int { return cmp.Compare(b.weight, a.weight) })
	tags := make([]string, len(all))
	for i := range all {
		tags[i] = all[i].tag
	}
	return tags
}

// pageLanguage returns the language for the wording of a page, as opposed to the texts of a
// project. It is the first of the preferred languages in which this wording is available, or
// English if it is available in none of them.
func pageLanguage(tags []string) terms.Language {
	for _, tag := range tags {
		if l, unknown := terms.LanguageFor(tag); !unknown && strings.TrimSpace(tag) != "" {
			return l
		}
	}
	return terms.English
}

// textLanguage returns the index of the project language that the visitor prefers most, or -1 for
// the untranslated texts. Because a visitor with a browser that lists only fr-CA also understands
// French, tags are shortened until a registered language is found. Untranslated texts count as
// English. If the visitor prefers English, textLanguage therefore selects the untranslated texts
// instead of a translation into a less preferred language.
func textLanguage(registered *locale.Set, tags []string) int {
	for _, tag := range tags {
		for key := locale.Key(tag); key != ""; key = withoutLast(key) {
			if at := registered.Find(key); at >= 0 {
				return at
			}
		}
		if first, _, _ := strings.Cut(locale.Key(tag), "-"); first == "en" {
			break
		}
	}
	return -1
}

// withoutLast removes the last subtag from a language tag in the form that locale.Key returns. It
// returns "" for a tag with a single subtag.
func withoutLast(key string) string { return key[:max(0, strings.LastIndexByte(key, '-'))] }
