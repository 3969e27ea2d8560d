package svcsdk

import "context"

type ifMatchKey struct{}

type etagKey struct{}

// IfMatch returns a context for calls that change a record only if its state still has this ETag;
// otherwise they fail with an APIError of status 412. "*" is any state of a record that exists.
//
//	var etag string
//	v, err := client.Admin.GetVersion(svcsdk.StoreETag(ctx, &etag), id)
//	…
//	v, err = client.Admin.UpdateVersion(svcsdk.IfMatch(ctx, etag), id, in)
func IfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatchKey{}, etag)
}

// StoreETag returns a context for calls that store the ETag of the record in their answer. A call
// that fails, or whose answer has none, stores nothing.
func StoreETag(ctx context.Context, etag *string) context.Context {
	return context.WithValue(ctx, etagKey{}, etag)
}

// keepETag stores the ETag of an answer where the caller wants it.
func keepETag(ctx context.Context, a *answer) {
	to, ok := ctx.Value(etagKey{}).(*string)
	if tag := a.header.Get("ETag"); ok && tag != "" {
		*to = tag
	}
}
