package cdn

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// cloudflareAnswer is the form of all responses of Cloudflare's API.
type cloudflareAnswer struct {
	Success bool `json:"success"`
	Errors  []struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
	Result struct {
		ID string `json:"id"`
	} `json:"result"`
}

func purgeCloudflare(ctx context.Context, c *Client, who Credentials, urls []string) (taskID string, err error) {
	body, err := json.Marshal(map[string][]string{"files": urls})
	if err != nil {
		return "", err
	}
	return c.cloudflare(ctx, who, http.MethodPost, "/purge_cache", string(body))
}

func readZone(ctx context.Context, c *Client, who Credentials) (remain, quota *int64, err error) {
	_, err = c.cloudflare(ctx, who, http.MethodGet, "", "")
	return nil, nil, err
}

// cloudflare calls a method of Cloudflare's API for the zone in the credentials, and returns the
// id in the result.
func (c *Client) cloudflare(ctx context.Context, who Credentials, method, path, body string) (id string, err error) {
	address := c.base[Cloudflare] + "/client/v4/zones/" + url.PathEscape(who.KeyID) + path
	var answer cloudflareAnswer
	status, err := c.call(ctx, method, address, "application/json", http.Header{"Authorization": {"Bearer " + who.Secret}}, body, &answer)
	switch {
	case err != nil:
		return "", err
	case len(answer.Errors) > 0 && (!answer.Success || status/100 != 2):
		return "", answerError{strconv.FormatInt(answer.Errors[0].Code, 10), answer.Errors[0].Message}
	case status/100 != 2:
		return "", statusError(status)
	case !answer.Success:
		return "", answerError{code: "the provider reports no success and gives no reason"}
	}
	return answer.Result.ID, nil
}
