package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestSizesWhileFilesGo checks that a folder is still listed if a file in it disappears while its
// size is being computed.
func TestSizesWhileFilesGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	index := filepath.Join(dir, "search.bleve")
	must(t, os.Mkdir(index, 0o700))
	must(t, os.WriteFile(filepath.Join(index, "stays"), []byte("12345"), 0o600))
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() {
		close(stop)
		<-stopped
	}()
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := filepath.Join(index, fmt.Sprint(i%50))
			if i/50%2 == 0 {
				_ = os.WriteFile(name, nil, 0o600)
			} else {
				_ = os.Remove(name)
			}
		}
	}()
	for range 500 {
		sizes, err := fileSizes(dir)
		must(t, err)
		if len(sizes) != 1 || sizes[0] != (fileSize{"search.bleve", 5}) {
			t.Fatalf("got %v, want 5 bytes in the index", sizes)
		}
	}
}
