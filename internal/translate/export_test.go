package translate

import "time"

// Within sets the time limit of a translation.
func (c *Client) Within(limit time.Duration) *Client { return &Client{c.http, limit} }
