package setting

import (
	"fmt"
	"strings"

	"svc/internal/typo"
)

// maxWrong is the maximum edit distance at which a variable is regarded as a misspelt
// variable of a setting.
const maxWrong = 2

// Misspelt returns an error for each variable in environ that resembles the variable of a
// setting but is not one. environ has the form of os.Environ. Other programs may also use
// variables with the prefix SVC_, so Misspelt reports only names that are nearly right.
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
			if typo.Distance(name, d.Variable) <= maxWrong {
				errs = append(errs, fmt.Errorf("%s is not a setting; the nearest is %s", name, d.Variable))
				break
			}
		}
	}
	return errs
}
