package event

// rows are events of one hour, column by column. Row i of each column is the
// same event. Rows are in the order of time, those of one second in the order of
// receipt. It is what a block is made from and what it is read back into.
type rows struct {
	seconds  []uint16     // second in the hour, 0 to 3599
	names    []uint32     // number of the name in the project
	clients  []uint32     // place in senders
	received []int64      // Unix second at which the server received it
	ids      []string     // event_id
	props    []properties // nil = none

	senders []sender
}

func (r *rows) len() int { return len(r.seconds) }

// sender is what events of one request have in common: who sent them, in which
// session, and from where. Equal senders of an hour are kept once.
type sender struct {
	subject uint32 // number of the distinct_id in the project, from 1
	session uint32 // number of the session_id in the project, from 1; 0 = none
	details
}

// details describe the client of a sender. Empty texts are not known.
type details struct {
	platform    uint8  // number of the platform, from 1; 0 = none
	region      uint16 // number of the region (stats.Region); 0 = not known
	version     string // of the platform
	countryName string
	regionName  string
	city        string
	address     string
	agent       string
}

// properties are the first-level properties of an event in the order in which
// they were sent, each key once.
type properties []property

// property is a key, unescaped, and its value as compact JSON.
type property struct{ key, value string }
