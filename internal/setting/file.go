package setting

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"svc/internal/typo"
)

// parseFile parses a configuration file. It returns the text form of each valid value by
// key, and all problems in the order of their keys.
func parseFile(content []byte) (map[string]string, []error) {
	var tree map[string]any
	if err := toml.Unmarshal(content, &tree); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := bad.Position()
			err = fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(bad.Error(), "toml: "))
		}
		return nil, []error{err}
	}
	flat := map[string]any{}
	flatten(flat, "", tree)

	file := map[string]string{}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		text, err := fileValue(key, flat[key])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		file[key] = text
	}
	return file, errs
}

func flatten(flat map[string]any, prefix string, tree map[string]any) {
	for key, value := range tree {
		if table, ok := value.(map[string]any); ok {
			flatten(flat, prefix+key+".", table)
			continue
		}
		flat[prefix+key] = value
	}
}

// fileValue converts the value of a key in the file to the text that the environment variable
// of the setting would contain, so that the same code can validate values from both sources.
func fileValue(key string, value any) (string, error) {
	at := slices.IndexFunc(definitions, func(d Definition) bool { return d.Key == key })
	switch {
	case at < 0:
		return "", fmt.Errorf("%q is not a setting; the nearest is %s", key, nearest(key))
	case definitions[at].NotInFile:
		return "", fmt.Errorf("%s cannot be set in the file; use --%s or %s", key, definitions[at].Flag(), definitions[at].Variable)
	}
	if list, ok := value.([]any); ok && definitions[at].Kind == "list" {
		texts := make([]string, len(list))
		for i, item := range list {
			if texts[i], ok = item.(string); !ok {
				return "", fmt.Errorf("%s must be a list of strings", key)
			}
		}
		return strings.Join(texts, ","), nil
	}
	kind := definitions[at].Kind
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		if kind == "boolean" {
			return strconv.FormatBool(v), nil
		}
	}
	switch kind {
	case "integer":
		return "", fmt.Errorf("%s must be a whole number", key)
	case "boolean":
		return "", fmt.Errorf("%s must be true or false", key)
	}
	return "", fmt.Errorf("%s must be a quoted string", key)
}

// nearest returns the valid key that is most similar to a wrong one. The wrong key may be
// written like a flag or an environment variable, or lack its section.
func nearest(wrong string) string {
	wrong = strings.ReplaceAll(strings.ToLower(wrong), "-", "_")
	wrong = strings.TrimPrefix(wrong, "svc_")
	best, least := "", 0
	for _, d := range definitions {
		if d.NotInFile {
			continue
		}
		last := d.Key[strings.LastIndex(d.Key, ".")+1:]
		n := min(typo.Distance(wrong, d.Key), typo.Distance(wrong, strings.ReplaceAll(d.Key, ".", "_")), typo.Distance(wrong, last))
		if best == "" || n < least {
			best, least = d.Key, n
		}
	}
	return best
}
