package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"svc/internal/control"
)

const (
	// patience is how long anything waits for the lock or for an answer of who
	// has it.
	patience  = 3 * time.Second
	lookAgain = 50 * time.Millisecond
)

// running is a server that answers on the control socket.
type running struct {
	held    *control.HeldError // who it is
	version string
}

// reach takes the lock of a data directory, or finds the server that has it;
// exactly one of lock and server is then not nil. Another command holds the
// lock for a moment only, and a server that is starting does not answer yet, so
// both are waited for, but never longer than patience.
func reach(ctx context.Context, dir string) (lock *control.Lock, server *running, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client := control.Client(dir)
	defer client.CloseIdleConnections()
	for {
		lock, err := control.Acquire(dir)
		if err == nil {
			return lock, nil, nil
		}
		held, ok := errors.AsType[*control.HeldError](err)
		if !ok {
			return nil, nil, err
		}
		if answer, notYet := askVersion(limited, client); notYet == nil {
			return nil, &running{held, answer}, nil
		}
		select {
		case <-time.After(lookAgain):
		case <-limited.Done():
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			return nil, nil, fmt.Errorf("%w and does not answer on its control socket", held)
		}
	}
}

func askVersion(ctx context.Context, client *http.Client) (version string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, control.BaseURL+"/control/version", nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answered %s", response.Status)
	}
	var answer struct {
		Version string `json:"version"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Version, err
}
