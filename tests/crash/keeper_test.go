package crash

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// settle compares the state of a server that was killed and restarted with the depositor's model,
// and finishes all work in progress.
func (d *depositor) settle(c *client) error {
	for _, s := range d.former {
		if s.path != "" {
			if err := s.absent(c); err != nil {
				return s.of(err)
			}
		}
	}
	d.former = nil
	if there, err := d.settleProject(c); err != nil || !there {
		return err
	}
	if err := d.settleFiles(c); err != nil {
		return err
	}
	for _, s := range d.deposits {
		if err := d.settleSession(c, s); err != nil {
			return s.of(err)
		}
	}
	d.deposits = slices.DeleteFunc(d.deposits, func(s *deposit) bool { return s.gone || !s.asked && s.session == "" })
	return nil
}

// settleProject determines whether the project exists.
func (d *depositor) settleProject(c *client) (there bool, err error) {
	if d.project == "" {
		return false, nil
	}
	status, answer, err := c.do("GET", d.path(), nil)
	switch {
	case err != nil:
		return false, err
	case status == http.StatusOK && d.asked:
		d.made, d.removing = true, false
		return true, nil
	case status == http.StatusNotFound && (!d.made || d.removing):
		d.ended()
		return false, nil
	}
	return false, fmt.Errorf("project %s: got %d %.300s", d.project, status, answer)
}

// settleFiles determines which files exist.
func (d *depositor) settleFiles(c *client) error {
	list, err := pages[fileView](c, d.files()+"?")
	if err != nil {
		return err
	}
	seen := map[string]fileView{}
	for _, f := range list {
		if _, twice := seen[f.Filename]; twice {
			return fmt.Errorf("two files came of one upload, %s", f.Filename)
		}
		seen[f.Filename] = f
	}
	for _, s := range d.deposits {
		f, ok := seen[s.name]
		delete(seen, s.name)
		switch {
		case s.gone && ok:
			return s.of(fmt.Errorf("it was deleted and is there"))
		case s.removing:
			s.gone, s.removing = !ok, false
		case s.there && !ok:
			return s.of(fmt.Errorf("it was acknowledged and is not there"))
		case !s.asked && ok:
			return s.of(fmt.Errorf("it is there without having been completed"))
		}
		if ok && !s.gone {
			if err := s.arrived(f); err != nil {
				return err
			}
		}
		if s.way != inChunks && !ok {
			s.asked = false
		}
	}
	for _, f := range seen {
		return fmt.Errorf("%v is there and nobody sent it", f)
	}
	return nil
}

// settleSession compares a chunked upload with the acknowledged chunks. It then completes, abandons
// or retains the upload.
func (d *depositor) settleSession(c *client, s *deposit) error {
	if s.session == "" || s.gone {
		return nil
	}
	if s.there { // repeat the completion, which must be idempotent
		return d.complete(c, s)
	}
	var got struct {
		Received []int `json:"received_chunks"`
	}
	if err := c.get(d.uploads()+"/"+s.session, &got); err != nil {
		return err
	}
	for i := range s.chunks {
		if !slices.Contains(got.Received, i) {
			return fmt.Errorf("chunk %d was acknowledged and is lost", i)
		}
	}
	if roll := d.random.IntN(10); roll < 2 {
		_, err := c.must(200, "DELETE", d.uploads()+"/"+s.session, nil)
		s.asked, s.session = false, ""
		return err
	} else if roll < 5 && !s.asked {
		return nil
	}
	for !s.there {
		if err := d.proceed(c, s); err != nil {
			return err
		}
	}
	return nil
}

// await waits until all files of the project are ready.
func (d *depositor) await(c *client, p *process) error {
	for late := time.Now().Add(patience); ; pause(p, 20*time.Millisecond) {
		list, err := pages[fileView](c, d.files()+"?")
		if err != nil {
			return err
		}
		waiting := slices.IndexFunc(list, func(f fileView) bool { return f.Status != "ready" })
		if waiting < 0 {
			d.ready = list
			return nil
		}
		if f := list[waiting]; f.Status == "failed" || time.Now().After(late) {
			return fmt.Errorf("file %s is %s: %v", f.Filename, f.Status, *cmp.Or(f.Error, new(string)))
		}
	}
}

// compare reads and verifies every file that has not been compared before. Sometimes it also reads
// one of the others again.
func (d *depositor) compare(c *client, p *process) error {
	again := d.random.IntN(len(d.deposits) + 1)
	for n, s := range d.deposits {
		if !s.there || s.compared && n != again {
			continue
		}
		status, answer, err := c.send("GET", c.site()+s.path, nil)
		if err != nil {
			return s.of(err)
		}
		if sum := sha256.Sum256(answer); status != http.StatusOK || hex.EncodeToString(sum[:]) != s.sum {
			return s.of(fmt.Errorf("its link answers %d and %d bytes that are not those that were sent", status, len(answer)))
		}
		if s.version != "" {
			if err := d.linked(c, p, s); err != nil {
				return s.of(err)
			}
		}
		s.compared = true
	}
	return nil
}

// linked waits until the version of a mirrored file links to the file. Public responses come from
// memory, which is updated shortly after the record of the file.
func (d *depositor) linked(c *client, p *process, s *deposit) error {
	for late := time.Now().Add(patience); ; pause(p, 5*time.Millisecond) {
		var got struct {
			Links []struct{ URL, Name string } `json:"download_links"`
		}
		if err := c.get("/public/"+d.project+"/versions/by-version/"+s.version, &got); err != nil {
			return err
		}
		if len(got.Links) == 1 && got.Links[0].URL == distribution+s.path && got.Links[0].Name == "kept" {
			return nil
		}
		if time.Now().After(late) {
			return fmt.Errorf("version %s has the links %v, want one to %s", s.version, got.Links, s.path)
		}
	}
}
