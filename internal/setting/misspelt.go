package setting

import (
	"fmt"
	"strings"
)

// maxWrong is the maximum number of letters by which a misspelt variable differs.
const maxWrong = 2

// Misspelt reports the variables of an environment (in the form of os.Environ) that
// resemble those of settings but are not. Other programs may also use the prefix SVC_, so
// it reports only names that are nearly right.
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
