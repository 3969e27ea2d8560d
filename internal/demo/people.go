package demo

import (
	"math"
	"slices"
)

// population describes the users of an app in total.
type population struct {
	number    int     // number of users, including those who start to use the app during the 90 days
	before    float64 // share of the users who started before the 90 days
	platforms []share[string]
	places    []share[*place]
	week      [7]float64  // relative activity by weekday, Sunday first
	hours     [24]float64 // relative activity by hour of the local day
	active    float64     // probability that a new user opens the app on a given day
	loyal     float64     // share of active that remains after some weeks
	tries     float64     // share of the users who install previews
	pro       float64     // share of the users who have paid
}

// place is a location of users. Its codes follow GB/T 2260.
type place struct {
	country, name, region, city string
	province, cityCode          string
	offset                      int    // minutes east of UTC
	language                    string // language of most people there
	net                         string // prefix of their addresses, all of which are reserved for documentation
}

// The places where users live, with their time zones in winter.
var (
	berlin    = &place{"DE", "Germany", "Berlin", "Berlin", "", "", 60, "de", "192.0.2."}
	munich    = &place{"DE", "Germany", "Bavaria", "Munich", "", "", 60, "de", "192.0.2."}
	vienna    = &place{"AT", "Austria", "Vienna", "Vienna", "", "", 60, "de", "198.51.100."}
	zurich    = &place{"CH", "Switzerland", "Zurich", "Zurich", "", "", 60, "de", "198.51.100."}
	paris     = &place{"FR", "France", "Île-de-France", "Paris", "", "", 60, "fr", "203.0.113."}
	brest     = &place{"FR", "France", "Brittany", "Brest", "", "", 60, "fr", "203.0.113."}
	london    = &place{"GB", "United Kingdom", "England", "London", "", "", 0, "en", "192.0.2."}
	oban      = &place{"GB", "United Kingdom", "Scotland", "Oban", "", "", 0, "en", "198.51.100."}
	dublin    = &place{"IE", "Ireland", "Leinster", "Dublin", "", "", 0, "en", "203.0.113."}
	amsterdam = &place{"NL", "Netherlands", "North Holland", "Amsterdam", "", "", 60, "nl", "192.0.2."}
	lisbon    = &place{"PT", "Portugal", "Lisbon", "Lisbon", "", "", 0, "pt", "198.51.100."}
	istanbul  = &place{"TR", "Türkiye", "Istanbul", "Istanbul", "", "", 180, "tr", "203.0.113."}
	cairo     = &place{"EG", "Egypt", "Cairo", "Cairo", "", "", 120, "ar", "192.0.2."}
	riyadh    = &place{"SA", "Saudi Arabia", "Riyadh", "Riyadh", "", "", 180, "ar", "198.51.100."}
	pune      = &place{"IN", "India", "Maharashtra", "Pune", "", "", 330, "en", "203.0.113."}
	tokyo     = &place{"JP", "Japan", "Tokyo", "Tokyo", "", "", 540, "ja", "192.0.2."}
	osaka     = &place{"JP", "Japan", "Osaka", "Osaka", "", "", 540, "ja", "198.51.100."}
	seoul     = &place{"KR", "South Korea", "Seoul", "Seoul", "", "", 540, "ko", "203.0.113."}
	sydney    = &place{"AU", "Australia", "New South Wales", "Sydney", "", "", 660, "en", "192.0.2."}
	seattle   = &place{"US", "United States", "Washington", "Seattle", "", "", -480, "en", "198.51.100."}
	boston    = &place{"US", "United States", "Massachusetts", "Boston", "", "", -300, "en", "203.0.113."}
	austin    = &place{"US", "United States", "Texas", "Austin", "", "", -360, "en", "192.0.2."}
	toronto   = &place{"CA", "Canada", "Ontario", "Toronto", "", "", -300, "en", "198.51.100."}
	saoPaulo  = &place{"BR", "Brazil", "São Paulo", "São Paulo", "", "", -180, "pt", "203.0.113."}

	beijing   = china("Beijing", "Beijing", "110000", "110100")
	shanghai  = china("Shanghai", "Shanghai", "310000", "310100")
	nanjing   = china("Jiangsu", "Nanjing", "320000", "320100")
	hangzhou  = china("Zhejiang", "Hangzhou", "330000", "330100")
	xiamen    = china("Fujian", "Xiamen", "350000", "350200")
	qingdao   = china("Shandong", "Qingdao", "370000", "370200")
	wuhan     = china("Hubei", "Wuhan", "420000", "420100")
	guangzhou = china("Guangdong", "Guangzhou", "440000", "440100")
	shenzhen  = china("Guangdong", "Shenzhen", "440000", "440300")
	chengdu   = china("Sichuan", "Chengdu", "510000", "510100")
	xian      = china("Shaanxi", "Xi'an", "610000", "610100")

	nowhere = &place{language: "en"} // for users in an unknown place
)

func china(region, city, province, code string) *place {
	return &place{"CN", "China", region, city, province, code, 480, "zh", "203.0.113."}
}

// systems contains the versions of the operating system on each platform, with their
// shares. Some clients do not report a version.
var systems = map[string][]share[string]{
	"windows": {{58, "11"}, {34, "10"}, {3, ""}},
	"macos":   {{38, "26.1"}, {30, "15.7"}, {16, "14.8"}, {5, "13.7.8"}, {2, ""}},
	"linux":   {{40, "ubuntu 24.04"}, {18, "debian 13"}, {14, "fedora 43"}, {12, "arch"}, {6, "linux mint 22"}, {5, ""}},
	"ios":     {{52, "26.1"}, {26, "18.7"}, {10, "17.7"}, {4, "16.7"}},
	"android": {{34, "16"}, {30, "15"}, {18, "14"}, {10, "13"}, {5, "12"}, {3, "10"}},
	"web":     {{40, "chrome 142"}, {25, "firefox 145"}, {20, "safari 26"}, {5, ""}},
}

// devices contains invented names of devices for each platform.
var devices = map[string][]string{
	"windows": {"Fellow 14", "Tower X2", "Slate 7"}, "macos": {"Air desk", "Book 15"}, "linux": {"Fellow 14", "Board 5"},
	"ios": {"Handset 15", "Handset 17 mini", "Pad 11"}, "android": {"Pebble 9", "Pebble 9a", "Nori X", "Aster S"},
	"web": {"Fellow 14", "Pebble 9"},
}

// person is a user of an app.
type person struct {
	id, platform, system, device, address, language string
	where                                           *place
	joined                                          int     // first day of the user, counted from the first day of the data; may be negative
	keen                                            float64 // factor of the probability that the user opens the app
	pro, known                                      bool    // pro: has paid; known: the client reports its time zone
	adopted                                         []int64 // for each release, the time at which the user installed it; 0 = never
}

// gather generates the users of the app.
func (w *world) gather() {
	c, reached, pop := w.chance("people"), w.chance("reached"), &w.project.people
	for i := range pop.number {
		p := &person{
			id: c.uuid4(), platform: pick(c, pop.platforms), where: pick(c, pop.places), keen: 0.35 + 1.3*c.Float64(), known: c.happens(0.94),
		}
		p.system, p.device, p.language = pick(c, systems[p.platform]), one(c, devices[p.platform]), p.where.language
		if p.where.net != "" {
			p.address = p.where.net
		}
		if p.joined = -1 - int(c.wait(120)); float64(i) >= pop.before*float64(pop.number) {
			p.joined = int(Days * math.Sqrt(c.Float64())) // the number of new users increases from day to day
		}
		p.pro = p.joined < 0 && c.happens(pop.pro)
		w.install(c, p)
		w.join(reached, p)
		w.people = append(w.people, p)
	}
}

// The speed at which users update.
const (
	updateDelay = 4.5  // mean time until a user installs an update, in days
	neverMoves  = 0.05 // share of the users who never update
)

// install decides when a person installs each release that is not rolled out step by step. See join
// for the others.
func (w *world) install(c *chance, p *person) {
	tries, stuck, patience := c.happens(w.project.people.tries), c.happens(neverMoves), 0.4+1.2*c.Float64()
	p.adopted = make([]int64, len(w.releases))
	came := w.ago(Days-1-p.joined, 0)
	withdrawn := false // whether the person has the previous release, which was withdrawn
	for i := range w.releases {
		r := &w.releases[i]
		if r.rolling != nil { // see join
			continue
		}
		at := w.published(r)
		delay := patience * c.wait(updateDelay) * day
		if withdrawn { // the app tells these users to update
			delay /= 12
		}
		adopted := at + int64(delay)
		switch {
		case r.preview && !tries, len(r.platforms) > 0 && !slices.Contains(r.platforms, p.platform):
			continue
		case at <= came && !r.preview: // a new user installs the newest release
			if at+30*day < came || p.joined >= 0 || c.happens(0.8) {
				adopted = at
			}
		case stuck:
			continue
		}
		if r.withdrawnIn > 0 && adopted > at+int64(r.withdrawnIn*3600) {
			continue
		}
		withdrawn = r.withdrawnIn > 0
		p.adopted[i] = adopted
	}
}

// version returns the version of the app that a person has installed at the given Unix time.
func (w *world) version(p *person, at int64) string {
	for i, adopted := range slices.Backward(p.adopted) {
		if adopted != 0 && adopted <= at {
			return w.releases[i].version
		}
	}
	return w.releases[0].version
}

// activity returns the probability that a user opens the app on a given day, which is counted from
// the first day of the data.
func (w *world) activity(p *person, on int, weekday int) float64 {
	pop, age := &w.project.people, float64(on-p.joined)
	if age == 0 {
		return 1
	}
	left := pop.loyal + (1-pop.loyal)*math.Exp(-age/9)
	return min(0.97, pop.active*p.keen*left*pop.week[weekday])
}
