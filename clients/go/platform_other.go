//go:build !windows

package svcsdk

import "runtime"

func systemVersion() string {
	switch runtime.GOOS {
	case "linux":
		return osReleaseVersion(readFirst("/etc/os-release", "/usr/lib/os-release"))
	case "darwin":
		return macOSVersion(plistString(readFirst("/System/Library/CoreServices/SystemVersion.plist"), "ProductVersion"))
	}
	return ""
}
