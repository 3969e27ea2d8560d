package stats

// Cells are the hours of a week: 24 for each day, Sunday first.
const Cells = 7 * 24

// Heatmap is a number for each hour of a week.
type Heatmap [Cells]int64

// Add counts n in the cell of the local time at which an hour starts. The hour
// is a Unix second, the offset of local time is in minutes east of UTC.
func (m *Heatmap) Add(hourStart int64, offset int, n int64) {
	local := hourStart + int64(offset)*60
	const sunday = 3 * day // 1970-01-04; the epoch was a Thursday
	m[(local-floor(local, week, week-sunday))/hour] += n
}
