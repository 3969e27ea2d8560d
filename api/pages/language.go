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

// maxWishes is how many languages of a header are looked at.
const maxWishes = 16

// wishes are the languages that a visitor would like, the best first: the one in the query,
// or else those of Accept-Language. asked says that the query has one, which may be blank:
// the texts as they were written.
func wishes(r *web.Request) (tags []string, asked bool) {
	if r.Sent("locale") {
		return []string{r.Query("locale")}, true
	}
	return acceptedLanguages(strings.Join(r.Header["Accept-Language"], ",")), false
}

// acceptedLanguages are the tags of an Accept-Language by their weight, RFC 9110 section
// 12.5.4. Those that stand for any language or weigh nothing are left out.
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

// pageLanguage is the language of the words of a page: the first wish that they are
// written in, English if there is none.
func pageLanguage(tags []string) terms.Language {
	for _, tag := range tags {
		if l, unknown := terms.LanguageFor(tag); !unknown && strings.TrimSpace(tag) != "" {
			return l
		}
	}
	return terms.English
}

// textLanguage is the index of the language of a project that a visitor would like best,
// -1 for the texts as they were written. A browser that lists fr-CA alone means French,
// too, so a tag is shortened until it is registered. Texts in no registered language are
// taken for English ones, so whoever prefers that gets them before a second choice.
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

// withoutLast is the key of a tag without its last part, "" for one of a single part.
func withoutLast(key string) string { return key[:max(0, strings.LastIndexByte(key, '-'))] }
