package storage

import (
	"bytes"
	"context"
	"crypto/md5" // every S3 store verifies this checksum
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/internal/outbound"
)

// s3PartSize is the size in bytes of the parts of a multipart upload. Objects of at most
// this size are written in a single request.
const s3PartSize = 16 << 20

// S3 stores objects at {path prefix}/{key} in a bucket. The server joins the parts of a multipart
// upload, so that readers see a single object.
type S3 struct {
	core           *minio.Core
	client         *http.Client
	bucket, prefix string
}

// s3Attempts is the number of times that the library sends a request of a back end.
const s3Attempts = 3

func newS3(c Config, client *http.Client, attempts int) (*S3, error) {
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if base.Path != "" {
		return nil, errors.New("base_url of an S3 endpoint must not have a path")
	}
	lookup := minio.BucketLookupDNS
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	core, err := minio.NewCore(base.Host, &minio.Options{
		Creds:        s3Credentials(c),
		Secure:       base.Scheme == "https",
		Transport:    refusals{client.Transport},
		Region:       c.Region,
		BucketLookup: lookup,
		MaxRetries:   attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("base_url: %w", err)
	}
	s := &S3{core: core, client: client, bucket: c.Bucket}
	if c.PathPrefix != "" {
		s.prefix = c.PathPrefix + "/"
	}
	return s, nil
}

// s3Credentials returns the configured credentials. If none are configured, it returns
// the credentials that the machine provides. These may have to be requested from a
// link-local address, to which the shared client refuses to connect.
func s3Credentials(c Config) *credentials.Credentials {
	if c.Username != "" || c.Password != "" {
		return credentials.NewStaticV4(c.Username, c.Password, "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: controlTime}},
	})
}

// refusals is a RoundTripper that limits the size of unsuccessful responses, because the
// library reads them to the end.
type refusals struct{ base http.RoundTripper }

// RoundTrip sends r.
func (l refusals) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.base.RoundTrip(r)
	if err == nil && !success(answer.StatusCode) {
		answer.Body = &drained{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// Put writes the file and verifies the length of the object. A file that is larger than
// one part is written as a multipart upload. The server verifies the checksums of the
// data.
func (s *S3) Put(ctx context.Context, key, file string, size int64) (Object, error) {
	if err := checkKey(key); err != nil {
		return Object{}, err
	}
	f, err := openSized(file, size)
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	o := Object{Key: key, Size: size}
	if size <= s3PartSize {
		err = s.write(ctx, s.prefix+key, f, size, putOptions())
	} else {
		err = s.writeParts(ctx, s.prefix+key, f, size, putOptions())
	}
	if err != nil {
		return Object{}, err
	}
	switch there, err := s.Stat(ctx, o); {
	case err != nil:
		return Object{}, fmt.Errorf("verify: %w", err)
	case !there:
		return Object{}, fmt.Errorf("verify: %w", lied("it does not have the written object"))
	}
	return o, nil
}

// putOptions returns the options for writing an object.
func putOptions() minio.PutObjectOptions {
	return minio.PutObjectOptions{ContentType: "application/octet-stream", DisableContentSha256: notChunked}
}

func (s *S3) write(ctx context.Context, name string, content io.ReaderAt, size int64, options minio.PutObjectOptions) error {
	md5Sum, sha256Sum, err := sums(content, 0, size)
	if err == nil {
		_, err = s.core.PutObject(ctx, s.bucket, name, io.NewSectionReader(content, 0, size), size,
			md5Sum, sha256Sum, options)
	}
	return s3Error("write", err)
}

// notChunked makes the library send the content unchanged, with its SHA-256 in the
// header. Over plain HTTP, the library would otherwise send individually signed chunks,
// and some servers would store "aws-chunked" as the content encoding of the object.
const notChunked = true

// sums returns the checksums of a section of content as the library expects them. The
// section is read once here and again when it is sent, so that it need not be held in
// memory.
func sums(content io.ReaderAt, offset, length int64) (md5Base64, sha256Hex string, err error) {
	m, h := md5.New(), sha256.New()
	n, err := io.Copy(io.MultiWriter(m, h), io.NewSectionReader(content, offset, length))
	if err == nil && n != length { // versitygw stores what it got before the connection ends
		err = fmt.Errorf("the content has %d bytes instead of %d", offset+n, offset+length)
	}
	sum := func(h hash.Hash) []byte { return h.Sum(nil) }
	return base64.StdEncoding.EncodeToString(sum(m)), hex.EncodeToString(sum(h)), err
}

// writeParts writes content as a multipart upload, which ends with the options. It aborts the upload
// on failure.
func (s *S3) writeParts(ctx context.Context, name string, content io.ReaderAt, size int64, options minio.PutObjectOptions) error {
	partSize := int64(s3PartSize)
	for size > partSize*s3MaxParts {
		partSize *= 2
	}
	upload, err := s.core.NewMultipartUpload(ctx, s.bucket, name, minio.PutObjectOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return s3Error("begin a multipart upload", err)
	}
	o := Object{Size: size, PartSize: partSize}
	done := make([]minio.CompletePart, o.parts())
	err = concurrently(ctx, o.parts(), func(ctx context.Context, i int64) error {
		md5Sum, sha256Sum, err := sums(content, i*partSize, o.part(i))
		if err != nil {
			return err
		}
		part, err := s.core.PutObjectPart(ctx, s.bucket, name, upload, int(i)+1, io.NewSectionReader(content, i*partSize, o.part(i)),
			o.part(i), minio.PutObjectPartOptions{Md5Base64: md5Sum, Sha256Hex: sha256Sum, DisableContentSha256: notChunked})
		done[i] = minio.CompletePart{PartNumber: int(i) + 1, ETag: part.ETag}
		return s3Error(fmt.Sprintf("part %d", i+1), err)
	})
	if err == nil {
		_, err = s.core.CompleteMultipartUpload(ctx, s.bucket, name, upload, done, options)
		err = s3Error("end a multipart upload", err)
	}
	if err != nil {
		return errors.Join(err, s.abort(context.WithoutCancel(ctx), name, upload))
	}
	return nil
}

// s3MaxParts is the maximum number of parts that the protocol allows.
const s3MaxParts = 10_000

func (s *S3) abort(ctx context.Context, name, upload string) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	return s3Error("abort a multipart upload", s.core.AbortMultipartUpload(ctx, s.bucket, name, upload))
}

// Open returns a reader for a range of the object.
func (s *S3) Open(ctx context.Context, o Object, offset, length int64) (io.ReadCloser, error) {
	if err := o.checkRange(offset, length); err != nil {
		return nil, err
	}
	if length == 0 {
		return http.NoBody, nil
	}
	return reader(s.read(ctx, s.prefix+o.Key, span{o.Size, offset, length}))
}

// read reads a span of an object. It uses a presigned address, because the library's
// methods for reading do not expose the status of a response.
func (s *S3) read(ctx context.Context, name string, r span) (*content, error) {
	to, err := s.core.Presign(ctx, http.MethodGet, s.bucket, name, signedTime, nil)
	if err != nil {
		return nil, s3Error("read", err)
	}
	return r.get(ctx, s.client, to, name, nil)
}

// signedTime is the time for which a presigned address is valid. The address is used
// immediately.
const signedTime = 5 * time.Minute

// Delete removes the object.
func (s *S3) Delete(ctx context.Context, o Object) error {
	if err := checkKey(o.Key); err != nil {
		return err
	}
	return s.remove(ctx, s.prefix+o.Key)
}

func (s *S3) remove(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	err := s3Error("delete", s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Stat reports whether the object exists and has the right size.
func (s *S3) Stat(ctx context.Context, o Object) (bool, error) {
	if err := checkKey(o.Key); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	info, err := s.core.StatObject(ctx, s.bucket, s.prefix+o.Key, minio.StatObjectOptions{})
	if err = s3Error("look up", err); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size == o.Size, err
}

// Sweep aborts the multipart uploads below the path prefix that began before the given
// time.
func (s *S3) Sweep(ctx context.Context, before time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	for upload := range s.core.ListIncompleteUploads(ctx, s.bucket, s.prefix+"f/", true) {
		if upload.Err != nil {
			return s3Error("list multipart uploads", upload.Err)
		}
		if upload.Initiated.Before(before) {
			if err := s.abort(ctx, upload.Key, upload.UploadID); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Probe writes a small object, reads bytes 7 to 13 of it, requests it without credentials and
// deletes it. Then it begins a multipart upload, writes 8 MiB and aborts the upload.
func (s *S3) Probe(ctx context.Context) Probe {
	begin := time.Now()
	ranges, public, err := s.probeSmall(ctx)
	p := Probe{OK: err == nil, Latency: time.Since(begin), Public: public}
	if err != nil {
		p.Error = err.Error()
		return p
	}
	p.RangeSupported = &ranges
	err = s.probeMultipart(ctx, s.prefix+probeCollection+"/large.bin")
	p.LargeWriteOK = new(err == nil)
	if err != nil {
		p.Error = fmt.Sprintf("multipart uploads are not possible: %v", err)
	}
	return p
}

func (s *S3) probeSmall(ctx context.Context) (ranges, public bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	name := s.prefix + probeCollection + "/small.txt"
	if err := s.write(ctx, name, bytes.NewReader([]byte(probeText)), int64(len(probeText)), putOptions()); err != nil {
		return false, false, err
	}
	ranges, err = probeRange(func(r span) (*content, error) { return s.read(ctx, name, r) })
	return ranges, s.anonymous(ctx, name), errors.Join(err, s.remove(ctx, name))
}

// anonymous reports whether an object can be read without credentials.
func (s *S3) anonymous(ctx context.Context, name string) bool {
	to, err := s.core.Presign(ctx, http.MethodGet, s.bucket, name, signedTime, nil)
	if err != nil {
		return false
	}
	to.RawQuery = "" // without the signature
	body, err := span{int64(len(probeText)), 0, int64(len(probeText))}.get(ctx, s.client, to, name, nil)
	if err != nil {
		return false
	}
	defer body.Close()
	got, err := io.ReadAll(body)
	return err == nil && string(got) == probeText
}

func (s *S3) probeMultipart(ctx context.Context, name string) error {
	const size = 8 << 20
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	upload, err := s.core.NewMultipartUpload(ctx, s.bucket, name, minio.PutObjectOptions{})
	if err != nil {
		return s3Error("begin a multipart upload", err)
	}
	md5Sum, sha256Sum, err := sums(zeros{}, 0, size)
	if err == nil {
		_, err = s.core.PutObjectPart(ctx, s.bucket, name, upload, 1, io.NewSectionReader(zeros{}, 0, size), size,
			minio.PutObjectPartOptions{Md5Base64: md5Sum, Sha256Hex: sha256Sum, DisableContentSha256: notChunked})
	}
	return errors.Join(s3Error("part 1", err), s.abort(context.WithoutCancel(ctx), name, upload))
}

// s3Error converts an error of the library to one that can be shown to users. The
// library's own text may contain data that the server has sent.
func s3Error(what string, err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	switch {
	case !ok || answer.StatusCode == 0: // not a response of the store
		err = outbound.Explain(err)
	case answer.Code == "NoSuchBucket":
		err = errors.New("the bucket does not exist")
	// versitygw sends the last of these codes
	case slices.Contains([]string{"InvalidAccessKeyId", "SignatureDoesNotMatch", "XAdminUserNotFound"}, answer.Code):
		err = errors.New("the credentials are refused")
	case answer.Code == "RequestTimeTooSkewed":
		err = errors.New("the clocks of the storage and of this server differ")
	case slices.Contains([]string{"NoSuchKey", "NoSuchUpload"}, answer.Code): // status 404 alone can have other reasons
		err = errAbsent
	case answer.Code == "PreconditionFailed", answer.StatusCode == http.StatusPreconditionFailed:
		err = errPresent
	case success(answer.StatusCode): // the response to a long operation can begin with status 200 and still contain an error
		err = errors.New("the storage failed")
	default:
		err = statusError(answer.StatusCode)
	}
	return fmt.Errorf("%s: %w", what, err)
}
