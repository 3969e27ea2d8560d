//go:build !standby

package apitest

// everyServer reports whether every server has a standby, as with the option WithStandby.
const everyServer = false
