package setting

import (
	"fmt"
	"strings"
)

// maxWrong is how many letters a misspelt variable differs in.
const maxWrong = 2

// Misspelt reports the variables of an environment, as os.Environ gives it,
// that look like those of settings and are none. Others may begin with SVC_, too,
// so only a name that is almost right is taken for a mistake.
func Misspelt(environ []string) (errs []error) {
	known := map[string]bool{}
	for _, d := range definitions {
		known[d.Variable], known[d.FileVariable()] = true, d.Secret
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if known[name] || !strings.HasPrefix(name, "SVC_") || blank(value) {
			continue
		}
		for _, d := range definitions {
			if distance(name, d.Variable) <= maxWrong {
				errs = append(errs, fmt.Errorf("%s is not a setting; the nearest is %s", name, d.Variable))
				break
			}
		}
	}
	return errs
}
