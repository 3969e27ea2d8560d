package useragent

import (
	"testing"
)

const (
	chromeOnWindows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	safariOnIPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
	safariOnMac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"
)

func BenchmarkDetect(b *testing.B) {
	sent := func(text string) Text { return Text{text, true} }
	for _, bc := range []struct {
		name     string
		declared Declared
		agent    string
	}{
		{"declared", Declared{Header: Source{sent("windows"), sent("11")}}, chromeOnWindows},
		{"declared_together", Declared{Body: Source{Platform: sent("Windows 11")}}, chromeOnWindows},
		{"no_version", Declared{Header: Source{Platform: sent("windows")}}, chromeOnWindows},
		{"agent_windows", Declared{}, chromeOnWindows},
		{"agent_iphone", Declared{}, safariOnIPhone},
		{"agent_mac", Declared{}, safariOnMac},
		{"agent_short", Declared{}, "svc-sdk-go/1.2.0"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Detect(bc.declared, bc.agent)
			}
		})
	}
}
