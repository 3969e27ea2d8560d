package control

// textOffset is the offset of the text in the lock file. Windows locks a range and denies
// all access to the locked first byte, so the text follows it.
const textOffset = 1

// CheckOwner accepts every directory, because access control lists determine access.
func CheckOwner(string) error { return nil }
