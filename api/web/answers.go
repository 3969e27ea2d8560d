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
	// answerFactor is the memory that building a response takes, as a multiple of the size of its
	// records. The records are decoded and encoded, and the buffer is copied as it grows.
	answerFactor = 4
	// answerWait is the maximum time that a request waits for its share of the budget.
	answerWait = 10 * time.Second

	// The part of the budget for callers without a credential is divided into publicShares shares.
	// A response takes as many shares as its memory needs, from 1 to sharesPerAddress, which is the
	// maximum for all responses to one address.
	publicShares     = 16
	sharesPerAddress = 8
)

// Answers limits the memory that large responses take while they are being built. Responses to callers
// without a credential may take half of the memory, so that slow readers among them do not block
// administrators. Those to a single address may take a quarter of the memory. Answers is safe for
// concurrent use.
type Answers struct {
	memory  *limit.Budget
	public  *limit.Budget // the part of memory for callers without a credential
	address *limit.Slots  // shares of public, by address
	turns   chan struct{} // a slot for each record that may be encoded at the same time
}

// NewAnswers returns an Answers with the given budget in bytes.
func NewAnswers(budget int64) *Answers {
	return &Answers{
		memory: limit.NewBudget(budget), public: limit.NewBudget(budget / 2), address: limit.NewSlots(sharesPerAddress),
		turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
}

// inTurn encodes a record of a large response. At most half of the processors encode such records at
// the same time, so that short requests do not have to wait for large responses.
func (a *Answers) inTurn(encode func() ([]byte, error)) ([]byte, error) {
	a.turns <- struct{}{}
	defer func() { <-a.turns }()
	return encode()
}

// Budget returns the number of bytes that responses hold and the maximum that they may hold.
func (a *Answers) Budget() (used, size int64) { return a.memory.Used(), a.memory.Size() }

// Waiting returns the number of requests that are waiting for memory for their responses.
func (a *Answers) Waiting() int64 {
	return a.memory.Waiting() + a.public.Waiting() + a.address.Waiting()
}

// Refused returns the number of requests that did not get memory for their responses in time.
func (a *Answers) Refused() uint64 {
	return a.memory.Refused() + a.public.Refused() + a.address.Refused()
}

// share is the memory of an Answers that one request holds for its response.
type share struct {
	memory, public int64 // bytes
	address        int64 // shares that count against the caller's address
}

var errNoRoom = error(fault.New(fault.Unavailable, "too many large answers are being made; try again in 5 seconds").After(5 * time.Second))

// Hold waits until memory is available for a response with records of up to the given number of
// bytes. The request holds the memory until it has been answered. Hold returns an error of kind
// Unavailable if there is not enough memory within 10 seconds. It returns immediately if the
// request already holds that much.
func (r *Request) Hold(bytes int) error {
	from := r.Route.Answers
	need, open := min(answerFactor*int64(bytes), from.memory.Size()), r.Route.Access.Open()
	if open {
		need = min(need, from.public.Size())
	}
	if need <= r.share.memory {
		return nil
	}
	r.releaseAnswer() // waiting while holding memory could lead to a deadlock
	ctx, cancel := context.WithTimeout(r.Context(), answerWait)
	defer cancel()
	defer r.restartDeadline()
	var err error
	if open {
		err = r.holdPublic(ctx, need)
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

// holdPublic waits for the shares that count against the caller's address, then for memory from the
// budget for callers without a credential.
func (r *Request) holdPublic(ctx context.Context, need int64) (err error) {
	from := r.Route.Answers
	if r.Addr.IsValid() {
		shares := min(1+need*publicShares/(from.public.Size()+1), sharesPerAddress)
		if err := from.address.Wait(ctx, limit.AddrKey(r.Addr), shares); err != nil {
			return err
		}
		r.share.address = shares
	}
	r.share.public, err = from.public.Wait(ctx, need)
	return err
}

// releaseAnswer gives back all memory and shares that the response holds.
func (r *Request) releaseAnswer() {
	if r.share == (share{}) {
		return
	}
	from := r.Route.Answers
	if r.share.memory > 0 {
		from.memory.Return(r.share.memory)
	}
	if r.share.public > 0 {
		from.public.Return(r.share.public)
	}
	if r.share.address > 0 {
		from.address.Return(limit.AddrKey(r.Addr), r.share.address)
	}
	r.share = share{}
}
