package delivery_test

import (
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/internal/notify"
	"svc/internal/outbound"
	"svc/internal/testutil/mailsink"
	"svc/store"
)

// TestFormsAtReceivers checks everything that receivers of people get of an event with mentions, markup
// and line ends: all headers, and the whole body.
func TestFormsAtReceivers(t *testing.T) {
	t.Parallel()
	const (
		link  = "https://svc.example/projects/demo?version=2.3.0"
		title = "Demo: 2.3.0 ü <!channel> & @everyone  Bcc: x@evil.example is published"
		text  = "hi @here, @channel & <@U1> <b>\r\n.\r\nQUIT\nzürich, a@b.example"
		// the same as they are sent to Slack, and with broken mentions to Discord
		slackTitle   = "Demo: 2.3.0 ü &lt;!channel&gt; &amp; @\u200beveryone  Bcc: x@\u200bevil.example is published"
		slackText    = "hi @\u200bhere, @\u200bchannel &amp; &lt;@\u200bU1&gt; &lt;b&gt;\r\n.\r\nQUIT\nzürich, a@\u200bb.example"
		discordTitle = "Demo: 2.3.0 ü <!channel> & @\u200beveryone  Bcc: x@\u200bevil.example is published"
		discordText  = "hi @\u200bhere, @\u200bchannel & <@\u200bU1> <b>\r\n.\r\nQUIT\nzürich, a@\u200bb.example"
	)
	type request struct {
		header http.Header
		body   string
	}
	requests := make(chan request, 1)
	r := newReceiver(t, func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- request{q.Header, string(body)}
	})
	mails := mailsink.New(t, mailsink.Config{})
	f := newFixture(t)
	f.through(t, outbound.Config{Version: "1.2.3"}, mails.Addr)
	deliver := func(kind notify.Kind) (d *store.HookDelivery) {
		t.Helper()
		h := f.hookOf(t, kind, r.URL+"/a/b/c")
		f.update(t, func(tx *store.Tx) error {
			data := notify.VersionPublished{Version: "2.3.0 ü <!channel> & @everyone\r\nBcc: x@evil.example", Notes: new(text), URL: new(link)}
			return tx.Notify(f.p.ID, notify.Event{Name: notify.VersionPublishedEvent, Data: data})
		})
		f.run(t)
		list, _, _ := f.deliveries(t, h)
		f.update(t, func(tx *store.Tx) error { return tx.DeleteHook(f.p.ID, h.ID) })
		if list[0].State != store.DeliveryDone {
			t.Fatalf("%s: got %+v", kind, list[0])
		}
		return list[0]
	}
	encoded := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	embed := map[string]any{"title": discordTitle, "description": discordText, "url": link}
	for kind, want := range map[notify.Kind]struct {
		header map[string]string
		body   string
	}{
		notify.Ntfy: {map[string]string{
			"Title": title, "Priority": "3", "Tags": "version.published", "Click": link, "Authorization": "Bearer of-the-receiver",
			"Content-Type": "text/plain; charset=utf-8", "User-Agent": "svc/1.2.3",
		}, text},
		notify.Slack: {
			map[string]string{"Content-Type": "application/json", "User-Agent": "svc/1.2.3"},
			encoded(map[string]string{"text": "*" + slackTitle + "*\n" + slackText + "\n<" + link + ">"}),
		},
		notify.Discord: {
			map[string]string{"Content-Type": "application/json", "User-Agent": "svc/1.2.3"},
			encoded(map[string]any{"embeds": []any{embed}, "allowed_mentions": map[string]any{"parse": []string{}}}),
		},
	} {
		deliver(kind)
		got := <-requests
		got.header.Del("Content-Length")
		if names := slices.Sorted(maps.Keys(got.header)); !slices.Equal(names, slices.Sorted(maps.Keys(want.header))) {
			t.Errorf("%s: got the headers %q", kind, names)
		}
		for name, value := range want.header {
			sent := got.header.Get(name)
			if decoded, err := new(mime.WordDecoder).DecodeHeader(sent); err != nil || decoded != value || strings.ContainsFunc(sent, notASCII) {
				t.Errorf("%s: got %s: %q, want %q", kind, name, sent, value)
			}
		}
		body := got.body
		if want.body[0] == '{' {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			body = encoded(v)
		}
		if body != want.body {
			t.Errorf("%s: got  %s\nwant %s", kind, body, want.body)
		}
	}
	d := deliver(notify.Email)
	checkMail(t, mails, map[string]string{
		"Subject": title, "Message-Id": "<" + d.MessageID() + "@sender.example>", "Date": "Sun, 22 Nov 2026 06:00:00 +0000",
		"Auto-Submitted": "auto-generated", "From": "<svc@sender.example>", "To": "<a@example.com>", "Mime-Version": "1.0",
		"Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "quoted-printable",
	}, strings.ReplaceAll(text, "\r\n", "\n")+"\n\n"+link)
}

func notASCII(r rune) bool { return r >= 0x80 || r < ' ' }

// checkMail checks the only message that a mail server has received.
func checkMail(t *testing.T, mails *mailsink.Sink, header map[string]string, text string) {
	t.Helper()
	all := mails.Received()
	if len(all) != 1 || all[0].From != "svc@sender.example" || !slices.Equal(all[0].To, []string{"a@example.com"}) {
		t.Fatalf("got %+v", all)
	}
	if names := slices.Sorted(maps.Keys(all[0].Header)); !slices.Equal(names, slices.Sorted(maps.Keys(header))) {
		t.Errorf("got the headers %q", names)
	}
	for name, value := range header {
		if got, err := new(mime.WordDecoder).DecodeHeader(all[0].Header.Get(name)); err != nil || got != value {
			t.Errorf("got %s: %q, want %q", name, got, value)
		}
	}
	body, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(all[0].Body)))
	if got := strings.TrimRight(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n"); err != nil || got != text {
		t.Errorf("got the text %q, %v, want %q", got, err, text)
	}
}
