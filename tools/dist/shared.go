package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"svc/cmd"
)

// pages lists the files of the source tree that are included in every archive.
var pages = []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "config.example.toml"}

const (
	securityPage = "SECURITY.md"
	// nobody is the text in SECURITY.md that a release replaces with its contact address.
	nobody = "to the maintainers of the repository you got\nthis from (its \"report a vulnerability\" form)"
)

// withContact returns the text of SECURITY.md with the contact address of this release in place of
// the constant nobody. If there is no address, it returns the text unchanged.
func (r *release) withContact(page []byte) ([]byte, error) {
	if r.contact == "" {
		return page, nil
	}
	if bytes.Count(page, []byte(nobody)) != 1 {
		return nil, fmt.Errorf("%s has no place for the contact", securityPage)
	}
	return bytes.Replace(page, []byte(nobody), []byte("to\n"+r.contact), 1), nil
}

// sharedFiles returns the files that are identical on all platforms.
func (r *release) sharedFiles() ([]file, error) {
	var files []file
	for _, name := range pages {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if name == securityPage {
			content, err = r.withContact(content)
			if err != nil {
				return nil, err
			}
		}
		files = append(files, file{name, 0o644, content})
	}
	root := cmd.Commands()
	manual, err := r.manualPages(root)
	if err != nil {
		return nil, fmt.Errorf("manual pages: %w", err)
	}
	shells, err := completions(root)
	if err != nil {
		return nil, fmt.Errorf("completions: %w", err)
	}
	return append(append(files, manual...), shells...), nil
}

// manualPages returns a manual page for each command.
func (r *release) manualPages(root *cobra.Command) ([]file, error) {
	dir, err := os.MkdirTemp("", "svc-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	root.DisableAutoGenTag = true // the tag contains the date of the build, which is not reproducible
	head := &doc.GenManHeader{Title: "SVC", Section: "1", Date: &r.time, Source: "svc " + r.version, Manual: "svc"}
	if err := doc.GenManTree(root, head, dir); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/" + filepath.Base(name), 0o644, content})
	}
	return files, nil
}

func completions(root *cobra.Command) ([]file, error) {
	var bash, zsh, fish, powershell bytes.Buffer
	err := errors.Join(
		root.GenBashCompletionV2(&bash, true),
		root.GenZshCompletion(&zsh),
		root.GenFishCompletion(&fish, true),
		root.GenPowerShellCompletionWithDesc(&powershell),
	)
	return []file{
		{"completions/svc.bash", 0o644, bash.Bytes()},
		{"completions/_svc", 0o644, zsh.Bytes()},
		{"completions/svc.fish", 0o644, fish.Bytes()},
		{"completions/svc.ps1", 0o644, powershell.Bytes()},
	}, err
}
