package svcsdk

import (
	"syscall"
	"unsafe"
)

// systemVersion asks the kernel, because the usual calls say what the program's manifest allows.
func systemVersion() string {
	proc := syscall.NewLazyDLL("ntdll.dll").NewProc("RtlGetNtVersionNumbers")
	if proc.Find() != nil {
		return ""
	}
	var major, minor, build uint32
	//nolint:errcheck // The call returns nothing; what looks like its error is that of an earlier call.
	proc.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)), uintptr(unsafe.Pointer(&build)))
	// The highest four bits of the build say what kind of build it is.
	return windowsVersion(major, minor, build&0xffff)
}
