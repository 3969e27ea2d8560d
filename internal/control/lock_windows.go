package control

// textOffset is the offset of the text in the lock file. Windows denies all access to a
// locked range, so the lock covers the first byte and the text follows it.
const textOffset = 1

// CheckOwner accepts every directory, because access control lists determine access.
func CheckOwner(string) error { return nil }
