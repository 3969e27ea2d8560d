//go:build !shadow

package boltfile

// addShadow and compareShadow do nothing. With the build tag "shadow", they compare what is recorded
// with the file; see shadow.go.
func (*DB) addShadow()     {}
func (*DB) compareShadow() {}
