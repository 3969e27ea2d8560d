package instance

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pelletier/go-toml/v2"

	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/setting"
)

// secretsHeader is the comment at the beginning of secrets.toml.
const secretsHeader = `# Generated at the first start. Keep this file with the data and keep it private:
# without JWT_SECRET stored secrets of other services cannot be decrypted, without
# API_KEY_SALT no API key works. An environment variable of the same name takes
# precedence.
`

// kept lists the secrets that are stored in the data directory unless the administrator
// sets them.
var kept = []string{"jwt_secret", "api_key_salt"}

// ReadSecrets reads secrets.toml, if it exists, and sets those secrets in the settings that are not
// set yet. content maps the environment variables of the secrets to the values in the file. missing
// contains the keys of the settings that are still not set.
func ReadSecrets(s *setting.Settings) (content map[string]string, missing []string, err error) {
	path := filepath.Join(s.Data, datadir.Secrets)
	content = map[string]string{}
	data, err := os.ReadFile(path)
	if err == nil {
		if err := toml.Unmarshal(data, &content); err != nil {
			return nil, nil, setting.Errors{fmt.Errorf("%s cannot be read: %w", path, err)}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read secrets: %w", err)
	}
	for _, key := range kept {
		v := s.Value(key)
		switch text := content[v.Variable]; {
		case v.Text != "": // the secret is set elsewhere
		case text == "":
			missing = append(missing, key)
		default:
			if err := s.Put(key, text, setting.FromData, path); err != nil {
				return nil, nil, setting.Errors{err}
			}
		}
	}
	return content, missing, nil
}

// EnsureSecrets sets secrets from secrets.toml, as ReadSecrets does. It then generates each missing
// secret from 32 random bytes, and stores it in secrets.toml. The result made reports whether it
// has generated any. The caller must hold the lock of the data directory.
func EnsureSecrets(s *setting.Settings) (made bool, err error) {
	path := filepath.Join(s.Data, datadir.Secrets)
	if err := makePrivate(path); err != nil {
		return false, err
	}
	content, missing, err := ReadSecrets(s)
	if err != nil || len(missing) == 0 {
		return false, err
	}
	for _, key := range missing {
		var random [32]byte
		rand.Read(random[:])
		text := hex.EncodeToString(random[:])
		content[s.Value(key).Variable] = text
		if err := s.Put(key, text, setting.FromData, path); err != nil {
			return false, err
		}
	}
	data, err := toml.Marshal(content)
	if err != nil {
		return false, fmt.Errorf("write secrets: %w", err)
	}
	if err := durable.WriteFile(path, append([]byte(secretsHeader), data...), 0o600); err != nil {
		return false, fmt.Errorf("write secrets: %w", err)
	}
	return true, nil
}

// makePrivate removes the permissions of all users except the owner from the file with the secrets,
// if it exists.
func makePrivate(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0) {
		return nil
	}
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return fmt.Errorf("others can read the secrets: %w", err)
	}
	return nil
}

// SecretsElsewhere returns the environment variables of the secrets that are set but are
// not stored in the data directory.
func SecretsElsewhere(s *setting.Settings) (variables []string) {
	for _, key := range kept {
		if v := s.Value(key); v.Origin != setting.FromData {
			variables = append(variables, v.Variable)
		}
	}
	return variables
}
