package demo

// outside is the relative activity of people outdoors in each hour of the day. It peaks
// early in the morning and again in the evening.
var outside = [24]float64{.5, .3, .2, .3, .8, 3, 6, 8, 8, 7, 6, 5, 5, 5, 5, 5, 6, 7, 7, 6, 5, 4, 2, 1}

var tidebrook = &project{
	key: "tidebrook-field-guide", folder: "tidebrook",
	name:   "Tidebrook Field Guide for Harbours, Estuaries, Tidal Creeks and Small Inland Waterways of the North (Community Edition)",
	author: "The readers of Tidebrook and the Society for Wet Feet", site: "https://tidebrook.example/",
	docs: "https://tidebrook.example/how-to/", begun: 420,
	names:     map[string]string{"zh-CN": "Tidebrook 水岸图鉴（社区版）", "fr": "Guide Tidebrook des ports et des estuaires"},
	aliases:   []former{{"tidebrook", 150}, {"tide-guide", 330}},
	languages: []language{{"fr", "Français", []string{"fr-CA"}}, {"zh-CN", "简体中文", []string{"zh", "zh-Hans"}}},
	releases: []release{
		{version: "1.0.0", ago: 400, hour: 8},
		{version: "1.1.0", ago: 300, hour: 8},
		{version: "1.2.0", ago: 200, hour: 8},
		{version: "1.2.3", ago: 110, hour: 17},
		{version: "1.3.0", ago: 66, hour: 8, files: true},
		{version: "1.4.0", ago: 45, hour: 8},
		{version: "1.4.1", ago: 41, hour: 18},
		{version: "1.5.0-beta.2", ago: 20, hour: 8, preview: true, platforms: []string{"ios", "android"}},
		{version: "1.5.0", ago: 13, hour: 8, milestone: true, files: true},
	},
	announcements: []announcement{
		{name: "tides", ago: 41, hour: 18.2, min: "1.4.0", max: "1.4.0", author: "Oban harbour office"},
		{name: "readers", ago: 33, hour: 19, pinned: true, hiddenFor: "zh-CN"},
		{name: "voices", ago: 13, hour: 8.1, pinned: true, platforms: []string{"ios", "android"}, author: "Tidebrook"},
		{name: "count", ago: 3, hour: 17, author: "Society for Wet Feet"},
	},
	people: population{
		number: 1500, before: 0.45, active: 0.24, loyal: 0.22, tries: 0.08, pro: 0,
		platforms: []share[string]{{47, "android"}, {40, "ios"}, {13, "web"}},
		places: []share[*place]{
			{14, oban}, {16, london}, {7, dublin}, {12, brest}, {6, paris}, {8, amsterdam}, {5, berlin}, {3, lisbon}, {3, toronto}, {4, boston},
			{5, seattle},
			{2, sydney}, {2, tokyo}, {4, qingdao}, {4, xiamen}, {3, shanghai}, {2, istanbul}, {2, nowhere},
		},
		week: [7]float64{1.5, .7, .7, .75, .8, .95, 1.6}, hours: outside,
	},
	session: tidebrookSession,
	events: []definition{
		{name: "app_opened", title: "Guide opened"},
		{name: "entry_viewed", title: "Entry read", text: "A page about a bird, a shell, a plant or a boat."},
		{name: "map_viewed", title: "Map viewed"},
		{name: "tide_table_viewed", title: "Tide table viewed"},
		{name: "voice_heard", title: "Voice recognised", text: "Since 1.5. `right` is what the person said afterwards."},
		{name: "sighting_recorded", title: "Sighting recorded"},
		{name: "sighting_shared", title: "Sighting shared"},
	},
	feedbacks: 125, logShare: 0.03,
	voices: append([]voice{
		{"en", 5, "Heard a curlew at 400 metres in the rain. It was right."},
		{"en", 4, "The tide table of my harbour is better than the one on the harbour wall."},
		{"en", 2, "Gulls. Always wrong about gulls. But so am I."},
		{"en", 3, "200 MB over a phone network on an island is two days. Could the voices come in parts?"},
		{"en", 1, "Notebook empty after the update to {version}. Eleven years of winter counts!"},
		{"fr", 5, "J'ai enfin reconnu le chevalier guignette. Merci !"},
		{"fr", 2, "La carte hors ligne de la rade de Brest s'arrête au milieu de l'eau."},
		{"zh", 5, "在青岛的海边用了一整天，没有网络也能识别。"},
		{"zh", 3, "希望增加更多东亚的鸟类。"},
		{"nl", 5, "Precies wat je nodig hebt op het wad."},
		{"de", 4, "Die Silhouetten der Boote bei schlechtem Licht sind eine großartige Idee."},
	}, everywhere...),
	logs: []logKind{
		{14, 1, "voices", "model loaded in {ms} ms", ""},
		{10, 1, "map", "tiles kept for {n} km of shore", ""},
		{8, 0, "tides", "calculated {n} extremes in {ms} ms", ""},
		{6, 2, "map", "tile of {file} is damaged, reading it again", ""},
		{5, 2, "voices", "microphone is used by another app", ""},
		{3, 3, "notebook", "cannot convert entry {n}: date before 1900", ""},
		{2, 3, "voices", "not enough memory: {n} MB are missing", "android"},
	},
	cards: []card{
		{"Readers", "", `{"type":"timeseries","granularity":"day","events":[{"name":"app_opened","alias":"A","measure":"unique_users"}]}`, full},
		{
			"Voices recognised rightly, %", "As people said afterwards.",
			`{"type":"value","events":[{"name":"voice_heard","alias":"A","filters":[{"property":"right","op":"eq","value":true}]},` +
				`{"name":"voice_heard","alias":"B"}],"formula":"A / B * 100"}`,
			low,
		},
		{"Entries of each reader", "", `{"type":"value","events":[{"name":"entry_viewed","alias":"A","measure":"count_per_user"}]}`, low},
		{
			"Sightings and shares", "",
			`{"type":"timeseries","granularity":"day","events":[{"name":"sighting_recorded","alias":"A"},{"name":"sighting_shared","alias":"B"}]}`,
			half,
		},
		{
			"Most seen", "",
			`{"type":"breakdown","events":[{"name":"sighting_recorded","alias":"A"}],"group_by":{"kind":"property","key":"species"},"limit":12}`,
			half,
		},
		{
			"Where readers are", "",
			`{"type":"breakdown","events":[{"name":"app_opened","alias":"A","measure":"unique_users"}],"group_by":{"kind":"region"},"limit":10}`,
			half,
		},
		{
			"Entries by kind", "", `{"type":"breakdown","events":[{"name":"entry_viewed","alias":"A"}],"group_by":{"kind":"property","key":"kind"}}`,
			half,
		},
	},
}

var species = []share[string]{
	{20, "herring gull"}, {16, "mallard"}, {13, "cormorant"}, {11, "oystercatcher"}, {9, "grey heron"}, {8, "curlew"}, {7, "redshank"},
	{5, "eider"},
	{4, "little egret"}, {3, "kingfisher"}, {2, "turnstone"}, {1, "purple sandpiper"}, {.4, "snowy owl"},
}

// tidebrookSession generates a session: the user opens the app, looks at a tide table, a
// map and entries, records sightings, and shares some of them.
func tidebrookSession(s *session) {
	s.emit(1, "app_opened", "offline", s.happens(0.4))
	if s.happens(0.5) {
		s.emit(20, "tide_table_viewed", "days", one(s.chance, []int{1, 1, 2, 7}))
	}
	if s.happens(0.55) {
		s.emit(25, "map_viewed", "zoom", s.between(8, 16))
	}
	for range int(s.wait(2)) {
		s.emit(40, "entry_viewed", "kind", pick(s.chance, []share[string]{{60, "bird"}, {16, "shell"}, {14, "plant"}, {10, "boat"}}))
	}
	record := 0.38
	if s.version == "1.5.0" && s.platform != "web" && s.happens(0.5) {
		s.emit(30, "voice_heard", "species", pick(s.chance, species), "right", s.happens(0.86), "milliseconds", s.around(900))
		record = 0.62
	}
	for s.happens(record) {
		s.emit(60, "sighting_recorded", "species", pick(s.chance, species), "number", s.around(3), "photo", s.happens(0.35))
		if s.happens(0.22) {
			s.emit(15, "sighting_shared", "target", pick(s.chance, []share[string]{{5, "card"}, {3, "link"}, {2, "csv"}}))
		}
		record = 0.45
	}
}
