package setting

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"svc/internal/datadir"
)

// Sources provides the values of settings. A function that is nil provides none.
type Sources struct {
	// Flag returns the value of a flag, and whether the flag was given.
	Flag func(name string) (string, bool)
	// Env returns an environment variable, like os.LookupEnv.
	Env func(name string) (string, bool)
	// ReadFile reads the configuration file and files with secrets, like os.ReadFile.
	ReadFile func(path string) ([]byte, error)
}

// Errors contains all problems that one call of Load has found. Each problem is one line.
// The line names the flag, environment variable or key, and never contains a value, which
// may be a secret.
type Errors []error

// Error returns the problems, one per line.
func (e Errors) Error() string { return errors.Join(e...).Error() }

// Unwrap returns the problems.
func (e Errors) Unwrap() []error { return e }

// Load returns the settings. A flag takes precedence over the environment, the
// environment over the configuration file, and the file over the default. A blank value
// is treated as unset. If the error is not nil, it is an Errors with all problems, and
// the settings must only be displayed.
func Load(src Sources) (*Settings, error) {
	l := &loader{src: src.whole()}
	s := &Settings{}
	l.readFile(l.find(definition("data")).Text, l.find(definition("config")))
	s.Config = l.path
	for _, d := range definitions {
		v := l.find(d)
		if v.Text != "" {
			if err := d.set(s, v.Text); err != nil {
				l.errs = append(l.errs, problem(v.Name, err))
			}
		}
		if d.Secret && v.Origin == FromFlag {
			s.warn("%s is visible to everyone who can list processes; use %s or %s", v.Name, d.Variable, d.FileVariable())
		}
		s.values = append(s.values, v)
	}
	s.settle()
	l.errs = append(l.errs, s.contradictions()...)
	if len(l.errs) > 0 {
		return s, l.errs
	}
	return s, nil
}

func (s *Settings) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// settle sets the values that follow from other settings.
func (s *Settings) settle() {
	if v := s.value("config"); v.Text == "" {
		v.Text = s.Config
	}
	if v := s.value("bootstrap_secret_dir"); v.Text == "" {
		v.Text, s.BootstrapSecretDir = s.Data, s.Data
	}
	if v := s.value("backup.dir"); v.Text == "" {
		v.Text = filepath.Join(s.Data, datadir.Backups)
		s.BackupDir = v.Text
	}
	if v := s.value("storage_dir"); v.Text == "" {
		v.Text = filepath.Join(s.Data, datadir.Files)
		s.StorageDir = v.Text
	}
	listen, port := s.value("listen"), s.value("port")
	switch {
	case port.Text == "":
	case listen.Origin == FromDefault:
		listen.Text = "127.0.0.1:" + strconv.Itoa(s.port)
		listen.Origin, listen.Name = port.Origin, port.Name
		s.Listen = listen.Text
	case port.Origin != FromEnvironment:
		// hosting platforms set PORT for all programs, so an unused PORT from the environment
		// is not a mistake
		s.warn("%s is not used because %s is set", port.Name, listen.Name)
	}
	s.settleHTTPS()
	s.settleMail()
}

type loader struct {
	src  Sources
	path string            // path of the configuration file
	file map[string]string // the values in the configuration file by key; "" = unset
	errs Errors
}

func (src Sources) whole() Sources {
	none := func(string) (string, bool) { return "", false }
	if src.Flag == nil {
		src.Flag = none
	}
	if src.Env == nil {
		src.Env = none
	}
	if src.ReadFile == nil {
		src.ReadFile = func(path string) ([]byte, error) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
	}
	return src
}

// find returns the value of a setting from the first source that has one.
func (l *loader) find(d Definition) Value {
	v := Value{Definition: d}
	if text, ok := l.src.Flag(d.Flag()); ok && !blank(text) {
		v.Text, v.Origin, v.Name = text, FromFlag, "--"+d.Flag()
		return v
	}
	if text, name := l.environment(d); text != "" {
		v.Text, v.Origin, v.Name = text, FromEnvironment, name
		return v
	}
	if text := l.file[d.Key]; !blank(text) {
		v.Text, v.Origin, v.Name = text, FromFile, l.path+": "+d.Key
		return v
	}
	v.Text, v.Origin = d.Default, FromDefault
	return v
}

// environment returns the value of d's environment variable and the name of that
// variable. Instead of the value, the environment can contain the path of a file with the
// value, in the variable with the suffix _FILE.
func (l *loader) environment(d Definition) (text, name string) {
	text, _ = l.src.Env(d.Variable)
	if blank(text) {
		text = ""
	}
	if !d.Secret {
		return text, d.Variable
	}
	path, _ := l.src.Env(d.FileVariable())
	switch {
	case blank(path):
		return text, d.Variable
	case text != "":
		l.errs = append(l.errs, fmt.Errorf("%s and %s are both set; keep one of them", d.Variable, d.FileVariable()))
		return text, d.Variable
	}
	data, err := l.src.ReadFile(path)
	if err != nil {
		l.errs = append(l.errs, problem(d.FileVariable(), fmt.Errorf("cannot be read: %w", err)))
		return "", ""
	}
	// editors and echo append a newline to the secret
	text = strings.TrimRight(string(data), "\r\n")
	if blank(text) {
		text = ""
	}
	return text, d.FileVariable()
}

// readFile reads the configuration file into l.file. config is the setting with the path of
// the file. If it has no value, the file is in the data directory, data, and need not exist.
func (l *loader) readFile(data string, config Value) {
	l.path = config.Text
	if l.path == "" {
		l.path = filepath.Join(data, datadir.Config)
	}
	content, err := l.src.ReadFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && config.Text == "":
		return
	case err != nil:
		name := config.Name
		if name == "" {
			name = "configuration file"
		}
		l.errs = append(l.errs, problem(name, fmt.Errorf("cannot be read: %w", err)))
		return
	}
	var errs []error
	l.file, errs = parseFile(content)
	for _, err := range errs {
		l.errs = append(l.errs, fmt.Errorf("%s: %w", l.path, err))
	}
}

func definition(key string) Definition {
	at := slices.IndexFunc(definitions, func(d Definition) bool { return d.Key == key })
	return definitions[at]
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
