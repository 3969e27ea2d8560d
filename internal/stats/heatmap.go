package stats

// Cells is the number of hours in a week: 24 for each day, beginning with Sunday.
const Cells = 7 * 24

// Heatmap contains a number for each hour of a week.
type Heatmap [Cells]int64

// Add adds n to the cell for the local time at which an hour begins. hourStart is a Unix
// second, and offset is the time zone in minutes east of UTC.
func (m *Heatmap) Add(hourStart int64, offset int, n int64) {
	local := hourStart + int64(offset)*60
	const sunday = 3 * day // Sunday, 1970-01-04; the epoch was a Thursday
	m[(local-floor(local, week, week-sunday))/hour] += n
}
