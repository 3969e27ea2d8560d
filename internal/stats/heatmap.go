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
	past := (local - sunday) % (7 * day)
	if past < 0 {
		past += 7 * day
	}
	m[past/hour] += n
}

// countryOffsets are the offsets of countries whose people live, for the most
// part, in one time zone, or of its most populous one.
var countryOffsets = map[string]int{
	"GB": 0, "IE": 0,
	"DE": 60, "FR": 60, "NL": 60, "ES": 60, "IT": 60, "SE": 60, "PL": 60,
	"RU": 180, "TR": 180,
	"AE": 240,
	"IN": 330,
	"TH": 420, "VN": 420, "ID": 420,
	"CN": 480, "HK": 480, "MO": 480, "TW": 480, "SG": 480, "MY": 480, "PH": 480,
	"JP": 540, "KR": 540,
	"AU": 600,
	"NZ": 720,
	"BR": -180,
	"US": -300, "CA": -300,
	"MX": -360,
}

// CountryOffset is the offset, in minutes east of UTC, that stands in for a
// client that did not say its own. ok is false for a country without one.
func CountryOffset(code string) (offset int, ok bool) {
	offset, ok = countryOffsets[code]
	return offset, ok
}
