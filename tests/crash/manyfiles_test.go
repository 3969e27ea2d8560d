package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestProjectOfManyFiles checks the deletion of a project with many files. The server responds
// before it has removed the files and uploads. After the response, links to the files return 404,
// and the removal starts immediately. The test kills the server several times, which must only
// delay the removal. Files of another project must remain. SVC_LONG=1 uses 10,000 files.
func TestProjectOfManyFiles(t *testing.T) {
	t.Parallel()
	many := 600
	if os.Getenv("SVC_LONG") != "" {
		many = 10_000
	}
	dir := keepOnFailure(t)
	data, log := filepath.Join(dir, "data"), filepath.Join(dir, "server.log")
	objects := filepath.Join(data, "files", "objects")
	p := start(t, data, log)
	url, err := p.ready()
	check(t, err)
	c := newClient(url, "")
	check(t, c.logIn())
	for _, key := range []string{"many", "other"} {
		_, err := c.must(201, "POST", projects.list, map[string]any{"project_key": key, "name": key})
		check(t, err)
	}
	check(t, putMany(c, "many", many))
	check(t, putMany(c, "other", 3))
	list, err := pages[fileView](c, projects.list+"/many/files?")
	check(t, err)
	if there := len(objectsIn(t, objects, nil)); len(list) != many || there != many+3 {
		t.Fatalf("%d files have %d objects, want %d and %d", len(list), there, many, many+3)
	}

	_, err = c.must(201, "POST", projects.list+"/many/files/uploads", map[string]any{"filename": "a.zip", "size": 10})
	check(t, err)

	begun := time.Now()
	_, err = c.must(200, "DELETE", projects.list+"/many", nil)
	check(t, err)
	t.Logf("deleting a project with %d files took %v", many, time.Since(begun))
	for late := time.Now().Add(patience); len(objectsIn(t, objects, nil)) == many+3; pause(p, time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the removal of the objects does not begin")
		}
	}
	random, took := rand.New(rand.NewPCG(rand.Uint64(), 0)), 300*time.Millisecond
	for kill := range 5 {
		for range 20 {
			s := deposit{path: list[random.IntN(many)].Path}
			check(t, s.absent(c))
		}
		if kill > 0 {
			pause(p, within(random, took))
		}
		p.kill()
		t.Logf("%d objects are there at kill %d", len(objectsIn(t, objects, nil)), kill+1)
		begun := time.Now()
		p = start(t, data, log)
		url, err := p.ready()
		check(t, err)
		took = time.Since(begun)
		c = newClient(url, c.token)
	}
	for late := time.Now().Add(3 * patience); len(objectsIn(t, objects, nil)) > 3; pause(p, 50*time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d objects are left, nobody asks for them", len(objectsIn(t, objects, nil))-3)
		}
	}
	if left, err := os.ReadDir(filepath.Join(data, "files", "staging", "uploads")); err != nil || len(left) > 0 {
		t.Errorf("%d uploads are left, %v", len(left), err)
	}
	list, err = pages[fileView](c, projects.list+"/other/files?")
	check(t, err)
	for _, f := range list {
		if status, _, err := c.send(http.MethodGet, c.site()+f.Path, nil); err != nil || status != http.StatusOK {
			t.Errorf("a file of another project answers %d, %v", status, err)
		}
	}
	check(t, checkData(data))
	check(t, p.stop(patience))
	check(t, checkData(data))
}

// putMany uploads the given number of small files to a project.
func putMany(c *client, project string, many int) error {
	var clients sync.WaitGroup
	const atOnce = 16
	errs := make([]error, atOnce)
	for n := range atOnce {
		clients.Go(func() {
			for i := n; i < many && errs[n] == nil; i += atOnce {
				status, answer, err := c.send(http.MethodPut, fmt.Sprintf("%s%s/%s/files?filename=%d.txt", c.base, projects.list, project, i), []byte(project))
				if err == nil && status != http.StatusCreated {
					err = fmt.Errorf("file %d: got %d %.300s", i, status, answer)
				}
				errs[n] = err
			}
		})
	}
	clients.Wait()
	return errors.Join(errs...)
}
