// Package svcsdk is the client library of svc. It reads versions, updates and announcements, and
// sends feedback, logs and events. With a credential, it also publishes releases and manages all
// other resources.
//
//	client, err := svcsdk.New("https://svc.example.com/api/v1", svcsdk.WithProject("my-app"))
//	if err != nil {
//		return err
//	}
//	defer client.Close(context.Background())
//	latest, err := client.Public.GetLatestVersion(ctx, nil)
//
// A [Client] has four parts. The methods of Public need no credential, and those of Admin need one.
// Updates checks for updates of the app, and Logs reports errors. A Client is safe for concurrent
// use.
//
// Times are Unix seconds. Fields of responses that can be null are pointers. Optional fields of
// requests are pointers, too, for example new(true). Optional fields that can also be cleared are
// of type [Opt].
//
// [Error] describes the errors of this package.
package svcsdk

// Version is the version of this library. It equals the version of the server that it was released
// with.
const Version = "0.1.0"
