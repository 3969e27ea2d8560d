// Package nameserver is a name server for tests whose answers change.
package nameserver

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Server answers all queries for an IPv4 address, whatever the name is.
type Server struct {
	Resolver *net.Resolver // asks the server

	answers []netip.Addr
	asked   atomic.Int64
}

// New returns a server that answers each query with the next one of answers, and after the last one
// always with that. Without answers, names have no address.
func New(t testing.TB, answers ...string) *Server {
	t.Helper()
	s := &Server{}
	for _, text := range answers {
		s.answers = append(s.answers, netip.MustParseAddr(text))
	}
	s.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			if err := s.serve(there); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("name server: %v", err)
			}
		}()
		return here, nil
	}}
	return s
}

// Asked returns the number of queries for an IPv4 address.
func (s *Server) Asked() int { return int(s.asked.Load()) }

// serve answers the query of a connection.
func (s *Server) serve(c net.Conn) error {
	defer c.Close()
	var length [2]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return err
	}
	question := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return err
	}
	m.Response = true
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA && len(s.answers) > 0 {
		i := min(s.asked.Add(1), int64(len(s.answers))) - 1
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: s.answers[i].As4()},
		}}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}
