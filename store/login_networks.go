package store

import (
	"net/netip"
	"slices"
	"time"
)

const (
	// loginNoted is the age from which the time of a known network is written again, so
	// that a login is seldom a write.
	loginNoted = 24 * time.Hour
	// loginMemory is the age at which a noted login is forgotten. The last login may be
	// later than the noted one by loginNoted, and it counts for 30 days.
	loginMemory = 30*24*time.Hour + loginNoted
	// maxLoginNetworks bounds the networks that are kept.
	maxLoginNetworks = 100
)

// LoginNetwork is a network from which the administrator has logged in.
type LoginNetwork struct {
	Network netip.Prefix `json:"network"`
	At      int64        `json:"at"` // last login, Unix seconds, to the day
}

// loginNetworks are the networks as they are stored, the last login first.
type loginNetworks struct {
	Networks []LoginNetwork `json:"networks"`
}

// KnowsLogin reports whether the administrator has logged in from a network within the last
// 30 days.
func (tx *Tx) KnowsLogin(network netip.Prefix) (bool, error) {
	known, err := loginSettings.Get(tx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(known.Networks, func(n LoginNetwork) bool {
		return n.Network == network && tx.now.Sub(time.Unix(n.At, 0)) < loginMemory
	}), nil
}

// NoteLogin remembers that the administrator has logged in from a network. It writes at
// most once a day for each. Of more than 100 networks those with the latest logins stay.
func (s *Store) NoteLogin(network netip.Prefix) error {
	fresh := func(tx *Tx) (known *loginNetworks, is bool, err error) {
		if known, err = loginSettings.Get(tx); err != nil {
			return nil, false, err
		}
		return known, slices.ContainsFunc(known.Networks, func(n LoginNetwork) bool {
			return n.Network == network && tx.now.Sub(time.Unix(n.At, 0)).Abs() < loginNoted
		}), nil
	}
	noted, err := Read(s, func(tx *Tx) (is bool, err error) {
		_, is, err = fresh(tx)
		return is, err
	})
	if err != nil || noted {
		return err
	}
	return s.Update(func(tx *Tx) error {
		known, is, err := fresh(tx)
		if err != nil || is {
			return err
		}
		list := slices.DeleteFunc(known.Networks, func(n LoginNetwork) bool {
			return n.Network == network || tx.now.Sub(time.Unix(n.At, 0)) >= loginMemory
		})
		list = slices.Insert(list, 0, LoginNetwork{network, tx.now.Unix()})
		return loginSettings.Put(tx, &loginNetworks{list[:min(len(list), maxLoginNetworks)]})
	})
}
