package translate

import "time"

// Within sets how long a translation may take.
func (c *Client) Within(limit time.Duration) *Client { return &Client{c.http, limit} }
