package svcsdk

import "context"

type ifMatchKey struct{}

type etagKey struct{}

// IfMatch returns a context for a call that changes a record only if the record still has the given
// ETag. Otherwise, the call fails with an APIError of status 412. "*" matches any existing record.
//
//	var etag string
//	v, err := client.Admin.GetVersion(svcsdk.StoreETag(ctx, &etag), id)
//	…
//	v, err = client.Admin.UpdateVersion(svcsdk.IfMatch(ctx, etag), id, in)
func IfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatchKey{}, etag)
}

// StoreETag returns a context for a call that stores the ETag of the returned record in etag. If
// the call fails or the response has no ETag, etag is unchanged.
func StoreETag(ctx context.Context, etag *string) context.Context {
	return context.WithValue(ctx, etagKey{}, etag)
}

// keepETag stores the ETag of a response in the variable that was passed to StoreETag.
func keepETag(ctx context.Context, a *answer) {
	to, ok := ctx.Value(etagKey{}).(*string)
	if tag := a.header.Get("ETag"); ok && tag != "" {
		*to = tag
	}
}
