package hooks

import (
	"strings"

	"svc/internal/seal"
	"svc/store"
)

// hidden replaces each part of an address that is not shown.
const hidden = "…"

// maxShown is the number of segments of a path that are shown. Later segments can contain a secret.
const maxShown = 2

// masked returns the address of a receiver with its query, and each segment of its path after the
// second, replaced by the text hidden. Slack, Discord and similar services put the secret there.
func masked(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, query, hasQuery := strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(address, "://")
	segments := strings.Split(rest, "/") // the first one is the host
	for i := range segments {
		if i > maxShown && segments[i] != "" {
			segments[i] = hidden
		}
	}
	shown := scheme + "://" + strings.Join(segments, "/")
	if hasQuery && query != "" {
		shown += "?" + hidden
	}
	return shown
}

// address returns the address of a hook. It returns "" if the address cannot be decrypted because
// JWT_SECRET has changed.
func (h *Handlers) address(hook *store.Hook) string {
	if !hook.Kind.SecretURL() {
		return hook.URL
	}
	address, err := h.Keys.Open(seal.HookAddress, hook.URL)
	if err != nil {
		return ""
	}
	return address
}

// shown returns the address of a hook as responses contain it.
func (h *Handlers) shown(hook *store.Hook) string {
	address := h.address(hook)
	if address == "" {
		return hidden
	}
	if !hook.Kind.SecretURL() {
		return address
	}
	return masked(address)
}

// sealed returns an address in the form in which it is stored. It encrypts the address if the kind
// of the hook requires that.
func (h *Handlers) sealed(hook *store.Hook, address string) string {
	if !hook.Kind.SecretURL() {
		return address
	}
	return h.Keys.Seal(seal.HookAddress, address)
}
