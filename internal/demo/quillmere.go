package demo

// office is the relative activity of office workers in each hour of the day.
var office = [24]float64{1, .5, .3, .2, .2, .4, 1.2, 3, 6, 9, 10, 9, 6, 7, 9, 9, 8, 6, 4, 4, 5, 5, 4, 2}

// projects lists all projects in order of creation.
var projects = []*project{quillmere, tidebrook, wicklume}

const syncFailure = "E51: the library server closed the connection after {ms} ms\n" +
	"  at sync.push (push.qm:88)\n  at sync.round (round.qm:31)"

var quillmere = &project{
	key: "quillmere", folder: "quillmere", name: "Quillmere", author: "Quillmere Works", site: "https://quillmere.example/",
	docs: "https://docs.quillmere.example/",
	repo: "https://code.example.org/quillmere/quillmere", optionalMin: "3.6.0", begun: 760,
	names:   map[string]string{"zh-CN": "Quillmere 写作", "de": "Quillmere"},
	aliases: []former{{"quillmere-beta", 700}},
	languages: []language{
		{"zh-CN", "简体中文", []string{"zh", "zh-Hans", "zh-SG"}},
		{"de", "Deutsch", []string{"de-AT", "de-CH"}},
		{"ja", "日本語", nil},
	},
	releases: []release{
		{version: "3.0.0", ago: 720, hour: 9, deprecated: true},
		{version: "3.4.0", ago: 410, hour: 10},
		{version: "3.5.2", ago: 260, hour: 9},
		{version: "3.6.0", ago: 190, hour: 9.5},
		{version: "3.6.3", ago: 140, hour: 14, files: true},
		{version: "4.0.0-beta.1", ago: 118, hour: 16, preview: true},
		{version: "4.0.0", ago: 82, hour: 9, milestone: true, files: true},
		{version: "4.0.1", ago: 76, hour: 11},
		{version: "4.1.0", ago: 58, hour: 9.2},
		{version: "4.1.1", ago: 51, hour: 13},
		{version: "4.2.0", ago: 38, hour: 9},
		{version: "4.2.1", ago: 30, hour: 10, files: true},
		{version: "4.3.0-rc.1", ago: 12, hour: 15, preview: true},
		{version: "4.3.0", ago: 6, hour: 9, withdrawnIn: 30.4},
		{version: "4.3.1", ago: 4, hour: 10, files: true},
		{version: "4.4.0-beta.1", ago: 2, hour: 14, preview: true, platforms: []string{"windows", "macos", "linux"}},
	},
	announcements: []announcement{
		{name: "welcome", ago: 82, hour: 10, pinned: true, author: "Quillmere Works"},
		{name: "phones", ago: 75, hour: 12, platforms: []string{"ios", "android"}, min: "4.0.0", author: "Ines"},
		{name: "three", ago: 44, hour: 9, max: "3.6.3", hiddenFor: "de", author: "Quillmere Works"},
		{name: "survey", ago: 21, hour: 15, author: "Lena", hiddenFor: "zh-CN"},
		{name: "draft", ago: 9, hour: 17, hidden: true, author: "Lena"},
		{
			name: "withdrawn", ago: 5, hour: 15.5, pinned: true, platforms: []string{"android"}, min: "4.3.0", max: "4.3.0",
			author: "Quillmere Works",
		},
		{name: "maintenance", ago: 1, hour: 8, min: "4.0.0", author: "Operations", ends: 3},
	},
	people: population{
		number: 2000, before: 0.52, active: 0.33, loyal: 0.28, tries: 0.05, pro: 0.14,
		platforms: []share[string]{{34, "windows"}, {24, "macos"}, {9, "linux"}, {14, "ios"}, {15, "android"}, {4, "web"}},
		places: []share[*place]{
			{9, berlin}, {6, munich}, {3, vienna}, {2, zurich}, {6, paris}, {8, london}, {2, dublin}, {3, amsterdam}, {2, lisbon}, {2, istanbul},
			{3, cairo}, {2, riyadh}, {4, pune}, {6, tokyo}, {3, osaka}, {3, seoul}, {2, sydney}, {8, seattle}, {8, boston}, {4, austin},
			{3, toronto}, {3, saoPaulo},
			{5, beijing}, {6, shanghai}, {3, nanjing}, {4, hangzhou}, {2, xiamen}, {2, wuhan}, {3, guangzhou}, {5, shenzhen}, {3, chengdu},
			{1, xian}, {2, nowhere},
		},
		week: [7]float64{.42, 1.08, 1.12, 1.1, 1.06, .94, .46}, hours: office,
	},
	session: quillmereSession,
	events: []definition{
		{name: "app_opened", title: "App opened", text: "Once in each session, when the window is there."},
		{name: "document_created", title: "Document created", text: "A new document, from a template or empty."},
		{name: "document_opened", title: "Document opened"},
		{name: "document_exported", title: "Document exported", text: "The file was written. `pages` and `format` say what it was."},
		{name: "comment_added", title: "Comment added"},
		{name: "search_used", title: "Search used"},
		{name: "paywall_shown", title: "Offer of Pro shown"},
		{name: "purchase_completed", title: "Pro bought", text: "The shop confirmed the payment."},
		{name: "template_chosen"},
		{name: "onboarding_step", title: "Step of the introduction", archived: true},
	},
	feedbacks: 210, logShare: 0.25,
	voices: append([]voice{
		{"en", 5, "Finally an editor that opens my 900 page thesis without a coffee break."},
		{"en", 4, "Export to EPUB is excellent. I would love footnotes at the end of each chapter."},
		{"en", 1, "E42 when I open anything with a picture. Android 15, version {version}. Please help, my deadline is tomorrow."},
		{"en", 2, "Comments lose their place when I move a paragraph above them."},
		{"en", 5, "Right-to-left paragraphs work, even mixed with English. You have no idea how rare that is."},
		{"en", 3, "Why does the outline number headings that I told it not to number?"},
		{"en", 0, "Is there a way to print only the outline?"},
		{"zh", 5, "终于有一款中文排版舒服的写作软件了，大纲功能尤其好用。"},
		{"zh", 1, "安卓 {version} 打开带图片的文档提示 E42，请尽快修复！"},
		{"zh", 3, "导出 PDF 时中文引号的宽度不对。"},
		{"ja", 4, "ルビの入力ができると完璧です。"},
		{"ja", 1, "画像のある文書を開くと E42 と表示されます。"},
		{"ar", 5, "أخيرًا محرر يفهم الكتابة من اليمين إلى اليسار، حتى داخل الجداول."},
		{"ar", 1, "يظهر الخطأ E42 عند فتح أي مستند فيه صور على أندرويد."},
		{"de", 4, "Die Gliederung auf dem Telefon ist großartig. Bitte auch auf dem Sperrbildschirm diktieren lassen."},
		{"de", 1, "E42 beim Öffnen eines Dokuments mit Bildern ({version}, Android). Die Kopie auf dem Gerät ist leer!"},
		{"fr", 4, "L'export EPUB est parfait, mais les guillemets français perdent leur espace insécable."},
	}, everywhere...),
	logs: []logKind{
		{18, 1, "sync", "synchronised {n} paragraphs in {ms} ms", ""},
		{10, 1, "library", "opened {file}", ""},
		{9, 0, "layout", "page cache: {n} of 512 used", ""},
		{5, 0, "spelling", "dictionary loaded in {ms} ms", ""},
		{8, 2, "sync", "no answer for {ms} ms, trying again", ""},
		{5, 2, "export", "font \"Mere Serif\" is missing a sign of {file}; another one is used", ""},
		{3, 2, "library", "{file} was changed by another program", ""},
		{11, 3, "sync", "E17: the library server refused the change: 409 conflict in {file}", ""},
		{7, 3, "export", "E23: cannot write {file}: no space left on device", ""},
		{
			6, 3, "crash",
			"index out of range [{n}] with length {n}\n  at layout.flow (flow.qm:218)\n  at layout.page (page.qm:77)\n  at editor.draw (draw.qm:41)",
			"",
		},
		{7, 3, "shell", "E31: registration of the file type failed (0x80070005)", "windows"},
		{4, 3, "keychain", "E8: the keychain is locked", "macos"},
	},
	incidents: []incident{
		{
			ago: 5, hour: 14, version: "4.3.0", platform: "android", source: "media", number: 310,
			content: "E42: cannot decode picture {n} of {file}: unexpected end of stream\n  at media.decode (decode.qm:112)\n  at layout.flow " +
				"(flow.qm:240)\n  at library.open (open.qm:58)",
		},
		// The same hour of two days: whenever the demo begins, exactly one of them lies in the last day.
		{ago: 1, hour: 9, version: "4.3.1", platform: "windows", source: "sync", number: 85, content: syncFailure},
		{ago: 0, hour: 9, version: "4.3.1", platform: "windows", source: "sync", number: 85, content: syncFailure},
	},
	cards: []card{
		{
			"Active writers", "People who opened the app, each day.",
			`{"type":"timeseries","granularity":"day","events":[{"name":"app_opened","alias":"A","measure":"unique_users"}]}`,
			full,
		},
		{
			"Exports for each document", "How often a new document is exported.",
			`{"type":"value","events":[{"name":"document_exported","alias":"A"},{"name":"document_created","alias":"B"}],"formula":"A / B"}`,
			low,
		},
		{
			"Buyers among those who saw the offer, %", "",
			`{"type":"value","events":[{"name":"purchase_completed","alias":"A","measure":"unique_users"},{"name":"paywall_shown","alias":"B",` +
				`"measure":"unique_users"}],"formula":"A / B * 100"}`,
			low,
		},
		{
			"Documents created and exported", "",
			`{"type":"timeseries","granularity":"day","events":[{"name":"document_created","alias":"A"},{"name":"document_exported","alias":"B"}]}`,
			third,
		},
		{
			"Formats of exports", "",
			`{"type":"breakdown","events":[{"name":"document_exported","alias":"A"}],"group_by":{"kind":"property","key":"format"},"limit":8}`,
			third,
		},
		{"Sessions by platform", "", `{"type":"breakdown","events":[{"name":"app_opened","alias":"A"}],"group_by":{"kind":"platform"}}`, third},
		{
			"Writers by country", "",
			`{"type":"breakdown","events":[{"name":"app_opened","alias":"A","measure":"unique_users"}],"group_by":{"kind":"region"},"limit":12}`,
			half,
		},
		{
			"Versions in use", "By what the app says of itself.",
			`{"type":"breakdown","events":[{"name":"app_opened","alias":"A","measure":"unique_users"}],"group_by":{"kind":"property",` +
				`"key":"app_version"},"limit":10}`,
			half,
		},
		{"Pro bought", "", `{"type":"timeseries","granularity":"day","events":[{"name":"purchase_completed","alias":"A"}]}`, half},
		{
			"Writers who comment, %", "Of those who opened the app that day.",
			`{"type":"timeseries","granularity":"day","events":[{"name":"comment_added","alias":"A","measure":"unique_users"},` +
				`{"name":"app_opened","alias":"B","measure":"unique_users"}],"formula":"A / B * 100"}`,
			half,
		},
		{
			"Long exports to PDF", "Documents of more than 20 pages.",
			`{"type":"timeseries","granularity":"day","events":[{"name":"document_exported","alias":"A","filters":[{"property":"format","op":"eq",` +
				`"value":"pdf"},{"property":"pages","op":"gt","value":20}]}]}`,
			half,
		},
		{
			"What is used", "All events, by name.",
			`{"type":"breakdown","events":[{"name":"app_opened","alias":"A"}],"group_by":{"kind":"event"},"limit":12}`,
			half,
		},
	},
}

// quillmereSession generates a session: the user opens the app, creates and exports a
// document, and occasionally buys something.
func quillmereSession(s *session) {
	plan := "free"
	if s.pro {
		plan = "pro"
	}
	s.emit(1, "app_opened", "plan", plan, "start", pick(s.chance, []share[string]{{6, "icon"}, {3, "file"}, {1, "link"}}), "language",
		s.language)
	if s.first && s.day < 40 { // version 4.1 removed the introduction
		for step := 1; step <= 4 && (step == 1 || s.happens(0.8)); step++ {
			s.emit(20, "onboarding_step", "step", step)
		}
	}
	for range 1 + int(s.wait(1.1)) {
		s.emit(25, "document_opened", "words", s.around(1800), "shared", s.happens(0.2))
	}
	if s.happens(0.25) {
		s.emit(60, "search_used", "results", s.IntN(40))
	}
	created := s.happens(0.46)
	if created {
		template := pick(s.chance,
			[]share[string]{{40, "empty"}, {22, "letter"}, {16, "report"}, {12, "novel"}, {6, "screenplay"}, {4, "résumé"}})
		if template != "empty" {
			s.emit(15, "template_chosen", "template", template)
		}
		s.emit(30, "document_created", "template", template)
	}
	for s.happens(0.3) {
		s.emit(90, "comment_added", "length", s.around(60))
	}
	export := 0.12
	if created {
		export = 0.5
	}
	if s.happens(export) {
		format := pick(s.chance, []share[string]{{46, "pdf"}, {24, "docx"}, {16, "epub"}, {9, "txt"}, {5, "html"}})
		s.emit(300, "document_exported", "format", format, "pages", s.around(14), "milliseconds", s.around(700))
		buys := 0.07
		if format == "epub" { // a document in this format is published
			buys = 0.16
		}
		if !s.pro && s.happens(0.45) {
			s.emit(4, "paywall_shown", "source", "export_"+format)
			if s.happens(buys) {
				s.emit(80, "purchase_completed", "plan", pick(s.chance, []share[string]{{5, "year"}, {3, "month"}, {1, "once"}}), "cents",
					one(s.chance, []int{490, 3900, 8900}), "source", "export_"+format)
				s.pro = true
			}
		}
	}
}
