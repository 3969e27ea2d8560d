package useragent

import (
	"strings"
	"testing"

	"svc/internal/platform"
)

func TestParseAgent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 33)
	for _, tc := range []struct {
		name, agent string
		want        System
	}{
		{"rule 1: iphone, then os and a number with underscores", safariOnIPhone, System{platform.IOS, "18.5"}},
		{"rule 1: ipad, with points", "X (iPad; iPadOS 17.0.1)", System{platform.IOS, "17.0.1"}},
		{"rule 1: ipod, more than two numbers", "iPod touch; CPU OS 12_5_7 like Mac OS X", System{platform.IOS, "12.5.7"}},
		{"rule 1: followed anywhere", "iphone " + strings.Repeat("x ", 200) + "os 9.1", System{platform.IOS, "9.1"}},
		{"rule 1: the first such number", "iphone os 9.1 os 8.1", System{platform.IOS, "9.1"}},
		{"rule 1: a number of one part is passed over", "iphone os 9 os 8.1", System{platform.IOS, "8.1"}},
		{"rule 1: before everything else", "Windows Phone 10.0; Android 6.0.1; like iPhone OS 7_0_3", System{platform.IOS, "7.0.3"}},
		{"rule 1: not in front of the device", "os 9.1 iphone", System{platform.IOS, ""}},
		{"rule 1: a separator at the end is none", "iphone os 9.1_", System{platform.IOS, "9.1"}},
		{"rule 2: iphone alone", "iPhone", System{platform.IOS, ""}},
		{"rule 2: ipad alone", "iPad7,5", System{platform.IOS, ""}},
		{"rule 2: ipod alone", "xiPodx", System{platform.IOS, ""}},
		{"rule 2: iphone without a number of two parts", "iphone os 9", System{platform.IOS, ""}},
		{"rule 2: ios as a word", "app/1 (iOS 17.1)", System{platform.IOS, ""}},
		{"rule 2: ios between marks", "app-ios/1", System{platform.IOS, ""}},
		{"rule 2: ios at the ends", "ios", System{platform.IOS, ""}},
		{"rule 2: not with a letter before it", "bios", System{platform.Others, ""}},
		{"rule 2: not with a letter after it", "iosx", System{platform.Others, ""}},
		{"rule 2: not with a digit on either side", "ios7 7ios", System{platform.Others, ""}},
		{"rule 2: a word among parts of words", "bios ios", System{platform.IOS, ""}},
		{"rule 2: before android", "Android 14 ios", System{platform.IOS, ""}},
		{"rule 3: android and a number", "Mozilla/5.0 (Linux; Android 14; Pixel 8)", System{platform.Android, "14"}},
		{"rule 3: with points", "Android 8.1.0", System{platform.Android, "8.1.0"}},
		{"rule 3: behind a slash", "android/9", System{platform.Android, "9"}},
		{"rule 3: behind nothing", "android10", System{platform.Android, "10"}},
		{"rule 3: one blank at most", "android  10", System{platform.Android, ""}},
		{"rule 3: a later android may have the number", "android-client Android 13", System{platform.Android, "13"}},
		{"rule 3: the first number", "android 12 android 13", System{platform.Android, "12"}},
		{"rule 3: before windows", "windows nt 10.0 android 5", System{platform.Android, "5"}},
		{"rule 3: a number that is too long is dropped", "android " + long, System{platform.Android, ""}},
		{"rule 4: android alone", "xandroidx", System{platform.Android, ""}},
		{"rule 5: windows nt 6.1 is 7", "Windows NT 6.1; WOW64", System{platform.Windows, "7"}},
		{"rule 5: windows nt 6.2 is 8", "Windows NT 6.2", System{platform.Windows, "8"}},
		{"rule 5: windows nt 6.3 is 8.1", "Windows NT 6.3", System{platform.Windows, "8.1"}},
		{"rule 5: windows nt 10.0 is 10", chromeOnWindows, System{platform.Windows, "10"}},
		{"rule 5: with a build behind it", "Windows NT 10.0.22621", System{platform.Windows, "10"}},
		{"rule 5: others have no name", "Windows NT 5.1", System{platform.Windows, ""}},
		{"rule 5: nor has a number that only begins like one", "Windows NT 6.10", System{platform.Windows, ""}},
		{"rule 5: the first number", "Windows NT; Windows NT 6.1; Windows NT 10.0", System{platform.Windows, "7"}},
		{"rule 5: before mac os", "Windows NT 10.0 Mac OS X 10_9", System{platform.Windows, "10"}},
		{"rule 6: windows", "Windows Phone", System{platform.Windows, ""}},
		{"rule 6: win32", "app (win32)", System{platform.Windows, ""}},
		{"rule 6: win64", "app (Win64)", System{platform.Windows, ""}},
		{"rule 6: win alone is not enough", "winter", System{platform.Others, ""}},
		{"rule 7: mac os x with underscores", safariOnMac, System{platform.MacOS, "10.15.7"}},
		{"rule 7: with points", "Intel Mac OS X 10.15; rv:140.0", System{platform.MacOS, "10.15"}},
		{"rule 7: of one part", "Mac OS X 11", System{platform.MacOS, "11"}},
		{"rule 7: one blank", "Mac OS X/10.9", System{platform.MacOS, ""}},
		{"rule 7: before linux", "Linux; Mac OS X 10.9", System{platform.MacOS, "10.9"}},
		{"rule 7: a number that is too long is dropped", "Mac OS X " + long, System{platform.MacOS, ""}},
		{"rule 8: macintosh", "Macintosh 10", System{platform.MacOS, ""}},
		{"rule 8: mac os x", "like Mac OS X", System{platform.MacOS, ""}},
		{"rule 8: darwin", "CFNetwork/1410.0.3 Darwin/22.6.0", System{platform.MacOS, ""}},
		{"rule 9: linux", "Linux/6.1", System{platform.Linux, ""}},
		{"rule 9: x11", "X11; SunOS", System{platform.Linux, ""}},
		{"rule 9: a distribution", "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0)", System{platform.Linux, "ubuntu"}},
		{"rule 9: the first of the list, not of the text", "linux suse debian mint", System{platform.Linux, "debian"}},
		{"rule 9: in front of it, too", "Fedora Linux", System{platform.Linux, "fedora"}},
		{"rule 9: a distribution alone is not linux", "Ubuntu", System{platform.Others, ""}},
		{"rule 9: x11 before cros", "X11; CrOS x86_64 14541.0.0", System{platform.Linux, ""}},
		{"rule 10: cros", "CrOS x86_64", System{platform.Others, "chrome os"}},
		{"rule 11: anything else", "curl/8.4.0", System{platform.Others, ""}},
		{"rule 11: a browser without a system is not web", "Mozilla/5.0 Web Browser", System{platform.Others, ""}},
		{"no User-Agent", "", System{platform.Others, ""}},
		{"one byte", "x", System{platform.Others, ""}},
		{"words at the very end", "xlinux", System{platform.Linux, ""}},
		{"a word that is cut off", "androi", System{platform.Others, ""}},
		{"bytes that are not UTF-8", "\xff\xfeLinux\xff", System{platform.Linux, ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, agent := range []string{tc.agent, strings.ToLower(tc.agent), strings.ToUpper(tc.agent)} {
				got := parseAgent(agent)
				if got != tc.want {
					t.Errorf("%q: got %q, want %q", agent, got, tc.want)
				}
				if naive := naiveAgent(agent); naive != tc.want {
					t.Errorf("%q: the oracle says %q, want %q", agent, naive, tc.want)
				}
			}
		})
	}
}

// TestDistributions checks that each distribution in the list is recognized, and that it
// takes precedence over all later ones.
func TestDistributions(t *testing.T) {
	t.Parallel()
	list := []string{"ubuntu", "debian", "fedora", "centos", "arch", "manjaro", "opensuse", "suse", "mint", "deepin", "kylin"}
	for i, name := range list {
		// in reverse order, so that the order in the text does not determine the result
		text := "linux"
		for j := len(list) - 1; j >= i; j-- {
			text += " " + list[j]
		}
		if got := parseAgent(text); got != (System{platform.Linux, name}) {
			t.Errorf("%q: got %q, want %s", text, got, name)
		}
	}
}
