// Package svcsdk talks to an instance of svc: it asks for versions, updates and announcements,
// sends feedback, logs and events, and, with a credential, publishes releases and manages
// everything else.
//
//	client, err := svcsdk.New("https://svc.example.com/api/v1", svcsdk.WithProject("my-app"))
//	if err != nil {
//		return err
//	}
//	defer client.Close(context.Background())
//	latest, err := client.Public.GetLatestVersion(ctx, nil)
//
// A [Client] has what needs no credential in Public, what needs one in Admin, the update helper
// in Updates and the reporting of errors in Logs. It is safe for use by several goroutines.
//
// Times are seconds since 1970-01-01 UTC, as on the wire. Fields of answers that can be null are
// pointers. Fields of requests that may be left out are pointers, too (new(true) makes one), and
// those that may also be cleared are of type [Opt].
//
// Errors are described at [Error].
package svcsdk

// Version is the version of this library. It is that of the server that it was released with.
const Version = "0.1.0"
