package translate

import "time"

// Within returns a copy of c with a different time limit for translations.
func (c *Client) Within(limit time.Duration) *Client { return &Client{c.http, limit} }
