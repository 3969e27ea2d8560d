package cmd_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"svc/internal/backup"
)

// erasedText is the prefix of the texts that TestErasedMeansErased deletes.
const erasedText = "quixotic-zephyr"

// TestErasedMeansErased checks that texts are erased from disk after their records have been
// deleted. The records are feedback, a project, and the events of one sender. Before the deletion,
// the data files and a backup must contain the texts. After it, a new backup must contain none of
// them, and once the nightly job has run, neither must the data files.
func TestErasedMeansErased(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := launch(t, exec.Command("svc", "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error", "--public-rate-limit", "0"))
	marks := fillForErasure(t, p)
	for _, where := range []struct {
		name    string
		content map[string][]byte
	}{{"the files", contents(t, data)}, {"a backup", backUp(t, data)}} {
		if missing := without(marks.texts, found(where.content, marks.texts)); len(missing) > 0 {
			t.Fatalf("before the deletions, %s do not have %q", where.name, missing)
		}
	}

	for _, id := range marks.feedback {
		p.ask(t, "DELETE", "/admin/projects/stays/feedbacks/"+id, "", 200)
	}
	p.ask(t, "DELETE", "/admin/projects/goes", "", 200)
	p.ask(t, "DELETE", "/public/stays/events/me?distinct_id="+erasedText+"-subject", "", 200)
	run(t, "job", "run", "deleted-projects", "--data", data)
	if len(found(contents(t, data), marks.texts)) == 0 {
		t.Fatal("after the deletions, free pages have nothing of what was deleted: this test is not about them")
	}
	if left := found(backUp(t, data), marks.texts); len(left) > 0 {
		t.Errorf("a backup has %q, which were deleted before", left)
	}

	run(t, "job", "run", "erased-data", "--data", data)
	for range 2 {
		if left := found(contents(t, data), marks.texts); len(left) > 0 {
			t.Errorf("the files have %q, which were deleted before the job", left)
		}
		if kept := found(contents(t, data), []string{"haystack"}); len(kept) == 0 {
			t.Error("what was not deleted is gone")
		}
		p.end(t, syscall.SIGTERM) // stopping writes the lists of free pages
		p = launch(t, exec.Command("svc", "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error"))
	}
	p.end(t, syscall.SIGTERM)
}

// deletions lists what the test deletes: ids of feedback, and all texts that must disappear.
type deletions struct{ feedback, texts []string }

// fillForErasure stores the records to be deleted and some other records. It uses many
// transactions, so that old versions of database pages contain the texts too.
func fillForErasure(t *testing.T, p *process) (d deletions) {
	t.Helper()
	mark := func(what string) string {
		d.texts = append(d.texts, erasedText+"-"+what)
		return erasedText + "-" + what
	}
	for _, key := range []string{"stays", "goes"} {
		p.ask(t, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":%q,"name":"x"}`, key), 201)
	}
	for i := range 300 {
		content, custom := fmt.Sprintf("a needle in the haystack, number %d", i), ""
		if i%100 == 50 {
			content, custom = mark(fmt.Sprint("feedback-", i)), mark(fmt.Sprint("custom-", i))+strings.Repeat("x", 20_000*(i/100))
		}
		answer := p.ask(t, "POST", "/public/stays/feedbacks", fmt.Sprintf(`{"content":%q,"custom_data":{"text":%q}}`, content, custom), 201)
		if i%100 == 50 {
			d.feedback = append(d.feedback, answer["id"].(string))
		}
		p.ask(t, "POST", "/public/goes/feedbacks", fmt.Sprintf(`{"content":"number %d"}`, i), 201)
	}
	p.ask(t, "POST", "/public/goes/feedbacks", fmt.Sprintf(`{"content":%q,"contact":%q}`, mark("content"), mark("contact")), 201)
	p.ask(t, "POST", "/public/goes/logs", fmt.Sprintf(`{"level":1,"content":%q}`, mark("log")), 201)
	p.ask(t, "POST", "/admin/projects/goes/announcements", fmt.Sprintf(`{"title":"t","content":%q}`, mark("announcement")), 201)
	for i := range 50 {
		p.ask(t, "POST", "/public/stays/events", fmt.Sprintf(`{"distinct_id":"other","events":[{"event_id":"other %d","name":"open"}]}`, i), 202)
		if i%10 == 5 {
			p.ask(t, "POST", "/public/stays/events", fmt.Sprintf(
				`{"distinct_id":"%[1]s-subject","session_id":"%[1]s-session","events":[{"event_id":%[2]q,"name":"open","properties":{"text":%[3]q,"long":"%[4]s"}}]}`,
				erasedText, mark(fmt.Sprint("event-", i)), mark(fmt.Sprint("property-", i)), strings.Repeat("z", 9000*i)), 202)
		}
	}
	d.texts = append(d.texts, erasedText+"-subject", erasedText+"-session")
	return d
}

func run(t *testing.T, args ...string) {
	t.Helper()
	if out, code := command(t, args...); code != 0 {
		t.Fatalf("svc %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
}

// contents returns the contents of all files in a data directory, by path.
func contents(t *testing.T, data string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		all[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// backUp makes a backup and returns the contents of the files in it, by name.
func backUp(t *testing.T, data string) map[string][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.tar.zst")
	run(t, "backup", path, "--data", data)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][]byte{}
	_, err = backup.Read(f, nil, func(m backup.Member, content io.Reader) (err error) {
		all[m.Name], err = io.ReadAll(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// found returns the texts that at least one of the files contains.
func found(files map[string][]byte, texts []string) (list []string) {
	for _, text := range texts {
		for content := range maps.Values(files) {
			if bytes.Contains(content, []byte(text)) {
				list = append(list, text)
				break
			}
		}
	}
	return list
}

// without returns the elements of texts that are not in other.
func without(texts, other []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(other, text) })
}
