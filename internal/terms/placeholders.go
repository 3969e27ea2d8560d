package terms

// Placeholder is a part of a built-in text that the operator of an instance has to fill
// in.
type Placeholder struct {
	Key      string // name, as in {{ key }}
	Required bool   // whether a text without it is incomplete
	Label    string // label of its field in a form
	Hint     string // what the operator should write, and why
	Example  string
}

// placeholders lists all placeholders that built-in texts may contain.
var placeholders = []struct {
	key      string
	required bool
	words    [languages]words
}{
	{"effective_date", true, [languages]words{
		English: {"Effective date", "The day from which this text applies. Give users time to read it first.", "1 January 2027"},
		Chinese: {"生效日期", "本文开始适用的日期。请在此之前给用户留出阅读的时间。", "2027 年 1 月 1 日"},
	}},
	{"operator_name", true, [languages]words{
		English: {
			"Operator", "Full legal name of the person or company that runs this instance and is responsible for the data on it.",
			"Example Software GmbH",
		},
		Chinese: {"运营者名称", "运行本实例并对其中数据负责的个人或公司的法定全称。", "示例软件有限公司"},
	}},
	{"operator_address", true, [languages]words{
		English: {
			"Registered address", "Postal address of the operator, as in the register of companies.", "Hauptstraße 1, 10115 Berlin, Germany",
		},
		Chinese: {"注册地址", "运营者的通信地址，与工商登记一致。", "上海市浦东新区示例路 1 号"},
	}},
	{"contact_email", true, [languages]words{
		English: {"Privacy contact", "E-mail address that somebody reads: users send their requests there.", "privacy@example.com"},
		Chinese: {"隐私联系邮箱", "有人查收的电子邮箱，用户的请求会发到这里。", "privacy@example.com"},
	}},
	{"dpo_contact", false, [languages]words{
		English: {
			"Data protection officer", "Name and contact of the data protection officer or of a representative. Say so if there is none.",
			"We have not appointed a data protection officer, because the law does not require one.",
		},
		Chinese: {"个人信息保护负责人", "个人信息保护负责人或代表的姓名和联系方式；没有的，请写明没有。", "我们没有指定个人信息保护负责人，因为法律对此没有要求。"},
	}},
	{"hosting_provider", true, [languages]words{
		English: {
			"Infrastructure providers", "Who runs the servers, the storage of files and backups, and a CDN if there is one.",
			"Example Cloud Ltd. (servers and backups), Example CDN Inc. (file downloads)",
		},
		Chinese: {"基础设施提供者", "服务器、文件存储、备份以及内容分发网络（如有）由谁提供。", "示例云计算有限公司（服务器和备份）、示例网络有限公司（文件下载）"},
	}},
	{"storage_region", true, [languages]words{
		English: {"Storage location", "Country, and region if you know it, of the servers and of the backups.", "Frankfurt am Main, Germany"},
		Chinese: {"存储地点", "服务器和备份所在的国家，以及已知的地区。", "中国上海"},
	}},
	{"geo_providers", true, [languages]words{
		English: {
			"Source of regions",
			"How addresses become regions: with the built-in country table, or a database file that you installed. Both are on the server; no " +
				"outside service is asked.",
			"the country table that is part of the software",
		},
		Chinese: {"地区数据的来源", "网络地址如何换算为地区：使用内置的国家和地区表，或者您自行安装的数据库文件。两者都在服务器上，不会查询外部服务。", "软件内置的国家和地区表"},
	}},
	{"detail_retention", true, [languages]words{
		English: {
			"Retention of feedback and logs",
			"How long you keep feedback and logs, and who removes them. Without a configured retention, the software deletes nothing; " +
				"with one, it deletes records after that number of days.",
			"Our support team deletes feedback two years after the matter is closed. Logs are removed together with the project that they belong " +
				"to.",
		},
		Chinese: {"反馈和日志的保存期限", "反馈和日志保存多久、由谁清除。未设置保留天数时，软件不会删除它们；设置后，超过该天数的记录会自动删除。", "客服人员在问题关闭两年后删除相应的反馈；日志随所属项目一起删除。"},
	}},
	{"response_days", true, [languages]words{
		English: {"Time to answer requests", "Within how many days you answer requests of users. The GDPR allows one month.", "30"},
		Chinese: {"答复期限", "在多少天内答复用户的请求。中国大陆的惯例为 15 个工作日，欧洲联盟为一个月。", "15"},
	}},
}

// words contains the texts that describe a placeholder in one language.
type words struct{ label, hint, example string }

// describe returns the placeholder with the given key, described in the given language.
func describe(key string, l Language) (p Placeholder, ok bool) {
	for _, one := range placeholders {
		if one.key == key {
			w := one.words[l]
			return Placeholder{Key: key, Required: one.required, Label: w.label, Hint: w.hint, Example: w.example}, true
		}
	}
	return p, false
}
