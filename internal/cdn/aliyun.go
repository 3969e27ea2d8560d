package cdn

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// aliyunVersion is the version of Alibaba Cloud's CDN API.
const aliyunVersion = "2018-05-10"

func refreshAliyun(ctx context.Context, c *Client, who Credentials, urls []string) (taskID string, err error) {
	var answer struct {
		RefreshTaskID string `json:"RefreshTaskId"`
	}
	err = c.aliyun(ctx, who, "RefreshObjectCaches", map[string]string{"ObjectType": "File", "ObjectPath": strings.Join(urls, "\n")}, &answer)
	return answer.RefreshTaskID, err
}

func quotaOfAliyun(ctx context.Context, c *Client, who Credentials) (remain, quota *int64, err error) {
	var answer struct{ URLRemain, URLQuota json.RawMessage }
	if err := c.aliyun(ctx, who, "DescribeRefreshQuota", nil, &answer); err != nil {
		return nil, nil, err
	}
	return number(answer.URLRemain), number(answer.URLQuota), nil
}

// number returns the value of a JSON number, or of a string that contains a number. For
// any other JSON it returns nil.
func number(raw json.RawMessage) *int64 {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// aliyun calls an action of Alibaba Cloud's API and decodes the response into answer.
func (c *Client) aliyun(ctx context.Context, who Credentials, action string, parameters map[string]string, answer any) error {
	all := map[string]string{
		"Action": action, "Version": aliyunVersion, "Format": "JSON", "AccessKeyId": who.KeyID,
		"SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0", "SignatureNonce": uuid.NewString(),
		"Timestamp": c.now().UTC().Format("2006-01-02T15:04:05Z"),
	}
	maps.Copy(all, parameters)
	canonical := canonicalForm(all)
	body := canonical + "&Signature=" + encode(sign(http.MethodPost, canonical, who.Secret))
	var raw json.RawMessage
	status, err := c.call(ctx, http.MethodPost, c.base[Aliyun]+"/", "application/x-www-form-urlencoded", nil, body, &raw)
	if err != nil {
		return err
	}
	var refusal struct {
		Code    any
		Message string
	}
	_ = json.Unmarshal(raw, &refusal) // a response that is not an object has no code
	switch {
	case refusal.Code != nil:
		return answerError{fmt.Sprint(refusal.Code), refusal.Message}
	case status/100 != 2:
		return statusError(status)
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return errForm
	}
	return nil
}

// canonicalForm returns the encoded parameters, sorted by name.
func canonicalForm(parameters map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		pairs = append(pairs, encode(name)+"="+encode(parameters[name]))
	}
	return strings.Join(pairs, "&")
}

// sign returns the signature of a request, given its canonical form. The API requires
// HMAC-SHA1.
func sign(method, canonical, secret string) string {
	mac := hmac.New(sha1.New, []byte(secret+"&"))
	mac.Write([]byte(method + "&%2F&" + encode(canonical)))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// encode percent-encodes a text according to RFC 3986: all characters except A-Z a-z 0-9
// - _ . ~.
func encode(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
