package web

import (
	"context"
	"errors"
	"runtime"
	"time"

	"svc/internal/fault"
	"svc/internal/limit"
)

const (
	// answerFactor is the memory of an answer in the making, in sizes of its records: as
	// they are decoded, encoded, and copied while the buffer grows.
	answerFactor = 4
	// answerWait is how long a request waits for its share of the budget.
	answerWait = 10 * time.Second
)

// Answers is the memory that large answers in the making share. Answers to callers
// without a credential have half of it, so that strangers that read slowly do not keep
// administrators out. It is safe for concurrent use.
type Answers struct {
	memory *limit.Budget
	public *limit.Budget // the part that strangers may take
	turns  chan struct{} // one for each record that may be encoded at a time
}

// NewAnswers returns a budget in bytes.
func NewAnswers(budget int64) *Answers {
	return &Answers{
		memory: limit.NewBudget(budget), public: limit.NewBudget(budget / 2),
		turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
}

// inTurn encodes a record of a large answer. Half of the processors do that at a time,
// so that short requests do not wait behind many of them.
func (a *Answers) inTurn(encode func() ([]byte, error)) ([]byte, error) {
	a.turns <- struct{}{}
	defer func() { <-a.turns }()
	return encode()
}

// Budget returns the bytes that answers hold, and the bytes that they may hold.
func (a *Answers) Budget() (used, size int64) { return a.memory.Used(), a.memory.Size() }

// Waiting returns the number of requests that wait for their share.
func (a *Answers) Waiting() int64 { return a.memory.Waiting() + a.public.Waiting() }

// Refused returns the number of requests that waited in vain.
func (a *Answers) Refused() uint64 { return a.memory.Refused() + a.public.Refused() }

// share is what the answer to a request holds of Answers, in bytes.
type share struct{ memory, public int64 }

var errNoRoom = error(fault.New(fault.Unavailable, "too many large answers are being made; try again in 5 seconds").After(5 * time.Second))

// Hold waits until there is memory for an answer whose records take so many bytes at a
// time, and keeps it until the request has been answered. The error is Unavailable if
// there is none within 10 seconds. It does nothing if the request holds as much already.
func (r *Request) Hold(bytes int) error {
	from := r.Route.Answers
	need := min(answerFactor*int64(bytes), from.memory.Size())
	if need <= r.share.memory {
		return nil
	}
	r.releaseAnswer() // a request that waits holds nothing others wait for
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	defer r.restartDeadline()
	var err error
	if r.Route.Access.Open() {
		r.share.public, err = from.public.Wait(ctx, need)
	}
	if err == nil {
		r.share.memory, err = from.memory.Wait(ctx, need)
	}
	if err != nil {
		r.releaseAnswer()
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoRoom
		}
	}
	return err
}

// releaseAnswer gives back what the answer held.
func (r *Request) releaseAnswer() {
	if r.share.memory > 0 {
		r.Route.Answers.memory.Return(r.share.memory)
	}
	if r.share.public > 0 {
		r.Route.Answers.public.Return(r.share.public)
	}
	r.share = share{}
}
