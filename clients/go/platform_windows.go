package svcsdk

import (
	"syscall"
	"unsafe"
)

// systemVersion gets the version from the kernel. The usual functions return a version that depends
// on the program's manifest.
func systemVersion() string {
	proc := syscall.NewLazyDLL("ntdll.dll").NewProc("RtlGetNtVersionNumbers")
	if proc.Find() != nil {
		return ""
	}
	var major, minor, build uint32
	//nolint:errcheck // The call returns nothing; its apparent error belongs to an earlier call.
	proc.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)), uintptr(unsafe.Pointer(&build)))
	// The highest four bits of the build are its kind.
	return windowsVersion(major, minor, build&0xffff)
}
