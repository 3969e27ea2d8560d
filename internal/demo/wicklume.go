package demo

import "svc/internal/rollout"

// evenings is the relative activity of people with a hobby, after work, in each hour of
// the day.
var evenings = [24]float64{3, 2, 1, .5, .3, .2, .4, 1, 2, 2, 2, 2, 2.5, 2.5, 2.5, 3, 4, 5, 7, 9, 10, 10, 8, 5}

var wicklume = &project{
	key: "wicklume", folder: "wicklume", name: "Wicklume", author: "T. Okonjo-Brandt", site: "https://wicklume.example/",
	docs: "https://wicklume.example/manual/",
	repo: "https://code.example.org/wicklume/wicklume", begun: 365,
	names:     map[string]string{"zh-CN": "Wicklume 灯光工具"},
	aliases:   []former{{"wick-lume", 90}, {"glowpatch", 240}},
	languages: []language{{"zh-CN", "简体中文", []string{"zh"}}},
	releases: []release{
		{version: "0.9.0", ago: 350, hour: 20, deprecated: true},
		{version: "0.9.4", ago: 280, hour: 21},
		{version: "0.10.0", ago: 150, hour: 20},
		{version: "0.11.0", ago: 75, hour: 20, milestone: true},
		{version: "0.11.2", ago: 52, hour: 22, files: true},
		{version: "0.12.0", ago: 25, hour: 20},
		{version: "0.12.1", ago: 16, hour: 21, files: true},
		{
			version: "0.12.2", ago: 9, hour: 20, files: true, rolling: &rolling{
				steps:   []rollout.Step{{Percent: 2000, HoldSeconds: day}, {Percent: 5000, HoldSeconds: 3 * day}, {Percent: rollout.Whole}},
				failing: 0.25, heldAfter: 90,
				log: logKind{level: 3, source: "usb", content: "E12: the controller was reset after frame {n}\n  at usb.write (usb.rs:204)\n" +
					"  at wire.flush (wire.rs:91)"},
			},
		},
		{
			version: "0.12.3", ago: 4, hour: 19, files: true, rolling: &rolling{
				steps: []rollout.Step{
					{Percent: 1000, HoldSeconds: day, MinExposure: 5}, {Percent: 2500, HoldSeconds: 6 * day, MinExposure: 20}, {Percent: rollout.Whole},
				},
			},
		},
		{version: "0.13.0-alpha.3", ago: 3, hour: 22, preview: true, platforms: []string{"linux"}},
	},
	signed: true,
	distribution: &distribution{
		channels: []channelLine{{"alpha", []string{"preview"}}},
		health: rollout.HealthRules{FalseAlarm: 0.01, Rules: []rollout.HealthRule{
			{Name: "error_logs", Metric: rollout.ErrorLogs, Tolerance: 1.5, MinFailures: 5, Action: rollout.Hold},
			{Name: "write_failed", Metric: rollout.EventMetric, Event: "write_failed", Tolerance: 2, MinFailures: 5, Action: rollout.Notify},
		}},
		steps: []rollout.Step{
			{Percent: 1000, HoldSeconds: day, MinExposure: 5}, {Percent: 2500, HoldSeconds: 6 * day, MinExposure: 20}, {Percent: rollout.Whole},
		},
	},
	announcements: []announcement{
		{name: "name", ago: 88, hour: 20, pinned: true},
		{name: "ports", ago: 52, hour: 22.5, platforms: []string{"windows"}, max: "0.11.1"},
		{name: "alpha", ago: 3, hour: 22.1, min: "0.12.0", platforms: []string{"linux"}},
	},
	people: population{
		number: 880, before: 0.6, active: 0.3, loyal: 0.4, tries: 0.18, pro: 0,
		platforms: []share[string]{{55, "linux"}, {27, "windows"}, {18, "macos"}},
		places: []share[*place]{
			{14, berlin}, {6, munich}, {8, amsterdam}, {9, london}, {5, paris}, {8, seattle}, {7, austin}, {5, boston}, {4, toronto}, {9, shenzhen},
			{5, shanghai},
			{3, chengdu}, {4, tokyo}, {3, seoul}, {4, pune}, {3, sydney}, {3, saoPaulo}, {5, nowhere},
		},
		week: [7]float64{1.3, .85, .85, .9, .9, 1.05, 1.4}, hours: evenings,
	},
	session: wicklumeSession,
	events: []definition{
		{name: "command_run", title: "Command run", text: "`command` is its first word, never its arguments."},
		{name: "device_found", title: "Device found"},
		{name: "pattern_built", title: "Pattern built"},
		{name: "pattern_written", title: "Pattern written", text: "Confirmed by its checksum."},
		{name: "write_failed", title: "Write failed"},
	},
	feedbacks: 70, logShare: 0.06,
	voices: append([]voice{
		{"en", 5, "`--group hall` and forty lamps change at once. My landlord is not amused. I am."},
		{"en", 4, "Please package it for more distributions."},
		{"en", 2, "watch stops after the laptop sleeps. {version}, Linux."},
		{"en", 1, "Exit code 5 every third time with a long cable."},
		{"en", 0, "Can patterns be written in TOML?"},
		{"zh", 5, "灯组功能太棒了，四十盏灯同时变色。"},
		{"zh", 2, "Windows 上找不到 COM12。"},
		{"de", 5, "Der Weihnachtsbaum der Feuerwache läuft seit drei Jahren damit."},
	}, everywhere...),
	logs: []logKind{
		{10, 1, "usb", "found controller, firmware 2.{n}", ""},
		{8, 0, "wire", "wrote {n} frames in {ms} ms", ""},
		{7, 2, "wire", "frame {n} had to be sent again", ""},
		{4, 2, "group", "lamp {n} answers after {ms} ms", ""},
		{3, 3, "wire", "checksum of {file} differs, the old pattern is kept", ""},
		{2, 3, "usb", "cannot open the port: permission denied; is the user in the group dialout?", "linux"},
	},
	cards: []card{
		{
			"Patterns written", "",
			`{"type":"timeseries","granularity":"day","events":[{"name":"pattern_written","alias":"A"},{"name":"write_failed","alias":"B"}]}`,
			half,
		},
		{
			"Writes that failed, %", "",
			`{"type":"timeseries","granularity":"day","events":[{"name":"write_failed","alias":"A"},{"name":"pattern_written","alias":"B"}],` +
				`"formula":"A / (A + B) * 100"}`,
			half,
		},
		{
			"Commands", "",
			`{"type":"breakdown","events":[{"name":"command_run","alias":"A"}],"group_by":{"kind":"property","key":"command"}}`,
			third,
		},
		{
			"How devices are reached", "",
			`{"type":"breakdown","events":[{"name":"device_found","alias":"A"}],"group_by":{"kind":"property","key":"over"}}`,
			third,
		},
		{
			"Reasons of failures", "",
			`{"type":"breakdown","events":[{"name":"write_failed","alias":"A"}],"group_by":{"kind":"property","key":"reason"}}`,
			third,
		},
		{"People", "", `{"type":"value","events":[{"name":"command_run","alias":"A","measure":"unique_users"}]}`, low},
	},
}

// wicklumeSession generates a session: the user runs a command, builds a pattern, finds a
// device and writes the pattern to it.
func wicklumeSession(s *session) {
	command := pick(s.chance, []share[string]{{50, "flash"}, {22, "watch"}, {18, "build"}, {10, "list"}})
	s.emit(1, "command_run", "command", command, "interactive", s.happens(0.7))
	if command == "build" || s.happens(0.3) {
		s.emit(10, "pattern_built", "steps", s.around(9), "length", one(s.chance, []int{60, 144, 288, 300}))
	}
	if command == "build" || !s.happens(0.9) {
		return
	}
	over := pick(s.chance, []share[string]{{55, "usb"}, {45, "network"}})
	s.emit(3, "device_found", "over", over, "controllers", s.around(1.5))
	for range 1 + int(s.wait(1.6)) {
		if command == "list" {
			return
		}
		fails := 0.05
		if s.version == "0.12.0" && over == "network" { // in this version, groups of devices time out after two seconds
			fails = 0.3
		}
		if s.happens(fails) {
			s.emit(40, "write_failed", "reason", pick(s.chance, []share[string]{{5, "no answer"}, {3, "checksum"}, {1, "cable"}}), "over", over)
			continue
		}
		s.emit(40, "pattern_written", "over", over, "frames", s.around(1200), "milliseconds", s.around(2600))
	}
}
