package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestDownloadLinks(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	all := apitest.VersionsOf("app")
	one, put := all+"/"+s.VersionID(t, "app", "1.0"), all+"/by-version/1.0"
	const a, b = `{"url":"https://a.example/a"}`, `{"url":"https://b.example/b"}`
	const none = `{"download_url":null,"download_links":[]}`
	s.Exchanges(t, []apitest.Exchange{
		{"creation with neither", "PUT", all + "/by-version/2.0", `{}`, 201, none},
		{"creation with nulls", "PUT", all + "/by-version/2.1", `{"download_url":null,"download_links":null}`, 201, none},
		{"creation with an address: a list of one", "PUT", all + "/by-version/2.2", `{"download_url":"x y"}`, 201, `{"download_url":"x y","download_links":[{"url":"x y"}]}`},
		{"creation with an address and a null list", "PUT", all + "/by-version/2.3", `{"download_url":"x","download_links":null}`, 201, `{"download_url":"x","download_links":[{"url":"x"}]}`},
		{"creation with a list: the first is the address", "PUT", all + "/by-version/2.4", `{"download_links":[` + a + `,` + b + `]}`, 201, `{"download_url":"https://a.example/a","download_links":[` + a + `,` + b + `]}`},
		{"creation with a list and a null address, which is not sent", "PUT", all + "/by-version/2.5", `{"download_links":[` + a + `],"download_url":null}`, 201, `{"download_url":"https://a.example/a","download_links":[` + a + `]}`},
		{"the same by POST", "POST", all, `{"version":"2.6","comparable_version":"2.6","download_links":[` + a + `],"download_url":null}`, 201, `{"download_url":"https://a.example/a","download_links":[` + a + `]}`},
		{"creation with both", "PUT", all + "/by-version/2.7", `{"download_links":[` + a + `],"download_url":"x"}`, 201, `{"download_url":"x","download_links":[` + a + `]}`},
		{"the list is sent: the address follows", "PATCH", one, `{"download_links":[` + a + `,` + b + `]}`, 200, `{"download_url":"https://a.example/a","download_links":[` + a + `,` + b + `]}`},
		{"neither is sent: both stay", "PATCH", one, `{"title":"t"}`, 200, `{"download_url":"https://a.example/a","download_links":[` + a + `,` + b + `]}`},
		{"both are sent: each is stored as sent", "PATCH", one, `{"download_links":[` + b + `],"download_url":"x"}`, 200, `{"download_url":"x","download_links":[` + b + `]}`},
		{"the list and a null address: the address is cleared", "PATCH", one, `{"download_links":[` + b + `],"download_url":null}`, 200, `{"download_url":null,"download_links":[` + b + `]}`},
		{"the list and a blank address, by PUT", "PUT", put, `{"download_links":[` + a + `],"download_url":" "}`, 200, `{"download_url":null,"download_links":[` + a + `]}`},
		{"only the address: the list is that one link", "PATCH", one, `{"download_url":" y "}`, 200, `{"download_url":" y ","download_links":[{"url":" y "}]}`},
		{"a null address clears both", "PATCH", one, `{"download_url":null}`, 200, none},
		{"an empty list and an address: reading shows it as a link", "PATCH", one, `{"download_links":[],"download_url":"z"}`, 200, `{"download_url":"z","download_links":[{"url":"z"}]}`},
		{"for the public, too", "GET", "/public/app/versions/by-version/1.0", "", 200, `{"download_url":"z","download_links":[{"url":"z"}]}`},
		{"an empty list alone clears both", "PATCH", one, `{"download_links":[]}`, 200, none},
		{"again", "PUT", put, `{"download_links":[` + a + `]}`, 200, `{"download_url":"https://a.example/a"}`},
		{"a null list clears both", "PUT", put, `{"download_links":null}`, 200, none},
		{"again, with an address", "PUT", put, `{"download_url":"x"}`, 200, ``},
		{"a blank address clears both", "PUT", put, `{"download_url":"  "}`, 200, none},
		{"name and platform, trimmed", "PATCH", one, `{"download_links":[{"url":" ftp://a.example ","name":" Setup ","platform":" Windows 11, ARM "}]}`, 200,
			`{"download_url":"ftp://a.example","download_links":[{"url":"ftp://a.example","name":"Setup","platform":"Windows 11, ARM"}]}`},
		{"everything at its limit", "PATCH", one, `{"download_links":[{"url":"http://a/` + apitest.Long(2039) + `","name":"` + apitest.Long(128) + `","platform":"` + apitest.Long(64) + `"}]}`, 200,
			`{"download_links":[{"url":"http://a/` + apitest.Long(2039) + `","name":"` + apitest.Long(128) + `","platform":"` + apitest.Long(64) + `"}]}`},
		{"32 links, also the same", "PATCH", one, `{"download_links":[` + strings.Repeat(a+`,`, 31) + a + `]}`, 200, `{"download_links":[` + strings.Repeat(a+`,`, 31) + a + `]}`},
	})
	answer := s.Must(t, 200, "PATCH", one, `{"download_links":[{"url":"https://a.example","name":" ","platform":"","colour":"red"},{"url":"https://a.example","name":null,"platform":null}]}`)
	if want := `"download_links":[{"url":"https://a.example"},{"url":"https://a.example"}]`; !strings.Contains(answer, want) {
		t.Errorf("blank and null names and platforms are left out: got %s, want %s", answer, want)
	}
}

func TestDownloadLinksRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	all := apitest.VersionsOf("app")
	one := all + "/" + s.VersionID(t, "app", "1.0")
	s.Must(t, 200, "PATCH", one, `{"download_links":[{"url":"https://a.example"}]}`)
	var rows []apitest.Refusal
	for _, bad := range []struct{ name, list, message string }{
		{"no list", `{"url":"https://a.example"}`, "download_links must be a list"},
		{"a text", `"https://a.example"`, "download_links must be a list"},
		{"33 links", `[` + strings.Repeat(`{"url":"https://a.example"},`, 32) + `{"url":"https://a.example"}]`, "download_links must have at most 32 entries"},
		{"a link that is a text", `["https://a.example"]`, "download_links[0] must be an object"},
		{"a link that is null", `[{"url":"https://a.example"},null]`, "download_links[1] must be an object"},
		{"no address", `[{"name":"n"}]`, "download_links[0].url is required"},
		{"a null address", `[{"url":null}]`, "download_links[0].url is required"},
		{"a blank address", `[{"url":" "}]`, "download_links[0].url is required"},
		{"an address that is a number", `[{"url":5}]`, "download_links[0].url must be a string"},
		{"a relative address", `[{"url":"/f"}]`, "download_links[0].url must be an absolute URL with scheme http, https or ftp"},
		{"a script", `[{"url":"javascript:alert(1)"}]`, "download_links[0].url must be an absolute URL"},
		{"no host", `[{"url":"https:///f"}]`, "download_links[0].url must be an absolute URL"},
		{"an address of 2049 characters", `[{"url":"http://a/` + apitest.Long(2040) + `"}]`, "download_links[0].url must have at most 2048 characters"},
		{"a name of 129 characters", `[{"url":"https://a.example","name":"` + apitest.Long(129) + `"}]`, "download_links[0].name must have at most 128 characters"},
		{"a name that is a number", `[{"url":"https://a.example","name":5}]`, "download_links[0].name must be a string"},
		{"a platform of 65 characters", `[{"url":"https://a.example","platform":"` + apitest.Long(65) + `"}]`, "download_links[0].platform must have at most 64 characters"},
		{"a platform that is a list", `[{"url":"https://a.example","platform":["web"]}]`, "download_links[0].platform must be a string"},
		{"two wrong links", `[{"url":"x"},{"url":"y"}]`, "download_links[1].url must be an absolute URL"},
	} {
		rows = append(rows,
			apitest.Refusal{"PATCH: " + bad.name, "PATCH", one, `{"title":"t","download_links":` + bad.list + `}`, 400, bad.message},
			apitest.Refusal{"PUT of a new one: " + bad.name, "PUT", all + "/by-version/2.0", `{"download_links":` + bad.list + `}`, 400, bad.message})
	}
	s.Refusals(t, all, rows)
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	all := apitest.VersionsOf("app")
	one, put := all+"/"+s.VersionID(t, "app", "1.0"), all+"/by-version/1.0"
	shows := func(single, list string) string { return `{"platform":` + single + `,"platforms":` + list + `}` }
	s.Exchanges(t, []apitest.Exchange{
		{"creation with neither", "PUT", all + "/by-version/2.0", `{}`, 201, shows(`null`, `[]`)},
		{"creation with nulls", "PUT", all + "/by-version/2.1", `{"platform":null,"platforms":null}`, 201, shows(`null`, `[]`)},
		{"creation with one: the list is that one", "PUT", all + "/by-version/2.2", `{"platform":" WEB "}`, 201, shows(`"web"`, `["web"]`)},
		{"creation with an empty list and one", "PUT", all + "/by-version/2.3", `{"platform":"ios","platforms":[]}`, 201, shows(`"ios"`, `["ios"]`)},
		{"creation with a list", "PUT", all + "/by-version/2.4", `{"platforms":["ios","android"]}`, 201, shows(`null`, `["ios","android"]`)},
		{"creation with both", "PUT", all + "/by-version/2.5", `{"platform":"web","platforms":["ios"]}`, 201, shows(`"web"`, `["ios"]`)},
		{"the list is sent: the single one stays", "PATCH", one, `{"platforms":["linux"," Windows ","LINUX"]}`, 200, shows(`null`, `["linux","windows"]`)},
		{"neither is sent: both stay", "PATCH", one, `{}`, 200, shows(`null`, `["linux","windows"]`)},
		{"the single one is sent: the list becomes it", "PATCH", one, `{"platform":"macos"}`, 200, shows(`"macos"`, `["macos"]`)},
		{"both are sent: the list is stored, the single one apart", "PUT", put, `{"platform":"others","platforms":["web"]}`, 200, shows(`"others"`, `["web"]`)},
		{"an empty list alone", "PUT", put, `{"platforms":[]}`, 200, shows(`"others"`, `[]`)},
		{"it still runs there", "GET", "/public/app/versions?platform=others&search=1.0", "", 200, `{"total":1}`},
		{"and nowhere else", "GET", "/public/app/versions?platform=web&search=1.0", "", 200, `{"total":0}`},
		{"a null list and a single one", "PATCH", one, `{"platform":"web","platforms":null}`, 200, shows(`"web"`, `["web"]`)},
		{"null for the single one empties the list, too", "PATCH", one, `{"platform":null}`, 200, shows(`null`, `[]`)},
		{"again", "PATCH", one, `{"platform":"web","platforms":["ios"]}`, 200, shows(`"web"`, `["ios"]`)},
		{"null for the list keeps the single one", "PATCH", one, `{"platforms":null}`, 200, shows(`"web"`, `[]`)},
		{"all seven and one twice", "PATCH", one, `{"platforms":["windows","linux","macos","ios","android","web","others","Web"]}`, 200,
			shows(`"web"`, `["windows","linux","macos","ios","android","web","others"]`)},
	})
	var rows []apitest.Refusal
	for _, bad := range []struct{ name, field, message string }{
		{"an unknown one", `"platform":"beos"`, "platform must be one of windows, linux, macos, ios, android, web, others"},
		{"a name that only detection knows", `"platform":"win32"`, "platform must be one of"},
		{"a blank one", `"platform":" "`, "platform must be one of"},
		{"a number", `"platform":5`, "platform must be a string"},
		{"a list for one", `"platform":["web"]`, "platform must be a string"},
		{"a letter that folds into i", `"platform":"w\u0131ndows"`, "platform must be one of"},
		{"one for a list", `"platforms":"web"`, "platforms must be a list"},
		{"an unknown one in the list", `"platforms":["web","beos"]`, "platforms[1] must be one of windows,"},
		{"a null in the list", `"platforms":[null]`, "platforms[0] must be a string"},
		{"a number in the list", `"platforms":["web",5]`, "platforms[1] must be a string"},
		{"nine entries, also the same", fmt.Sprintf(`"platforms":[%s"web"]`, strings.Repeat(`"web",`, 8)), "platforms must have at most 8 entries"},
	} {
		rows = append(rows,
			apitest.Refusal{"PATCH: " + bad.name, "PATCH", one, `{"title":"t",` + bad.field + `}`, 400, bad.message},
			apitest.Refusal{"PUT of a new one: " + bad.name, "PUT", all + "/by-version/9", `{` + bad.field + `}`, 400, bad.message})
	}
	s.Refusals(t, all, rows)
}
