package control

// textOffset is where the text begins in the lock file. Windows locks by range
// and refuses everybody the locked first byte, so the text stands behind it.
const textOffset = 1

// CheckOwner accepts every directory: who may use it is a matter of its access
// control list.
func CheckOwner(string) error { return nil }
