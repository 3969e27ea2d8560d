package pages

import (
	"strings"
	"time"

	"svc/internal/platform"
	"svc/internal/terms"
)

// words holds the texts of pages in one language.
type words struct {
	Tag  string // of the language, BCP 47
	Name string // name of the language in that language
	date string // date format, as in package time

	SkipToContent, Site, Reference, Console, Terms, Languages, Start, Original, Documents, ShowMore, ShowLess string

	HomeTitle, HomeText, Features, ExampleTitle string
	FeatureList                                 []feature

	By, Since, Website, Documentation, Repository                string
	LatestVersion, Version, Versions, AllVersions, NoVersion     string
	Latest, Preview, Milestone, Deprecated, Details, Download    string
	Announcements, Pinned, ReadMore, ReadAll, Close              string
	BackToProject, Newer, Older, PagesOfVersions, LastUpdated    string
	MissingTitle, MissingText, FailedTitle, FailedText, TryAgain string
	UnpublishedTitle, UnpublishedText                            string

	Search, Find, Contents, SearchResults, FoundOperations, Authentication, Needs, Scope, NoCredential, Parameters, Body, Example string
	TryIt, Sending, NoAnswer, Credential, Send, Answers, Required                                                                 string

	// AboutProject is the text for a project that has no description. It contains one %s for the
	// name of the project.
	AboutProject string
	others       string // text for platforms that have no name
}

// feature is a feature described on the start page.
type feature struct{ Title, Text string }

// in returns the words of a language.
func in(l terms.Language) *words { return allWords[l] }

var allWords = [...]*words{
	terms.English: {
		Tag: "en", Name: "English", date: "2 January 2006",
		SkipToContent: "Skip to content", Site: "Site", Reference: "API reference", Console: "Open the console",
		Terms: "Terms", Languages: "Languages", Start: "Start page", Original: "Original", Documents: "Documents", ShowMore: "Show more",
		ShowLess: "Show less",

		HomeTitle: "Everything an app needs after its release",
		HomeText:  "Updates, announcements, feedback, logs and numbers for the apps that you ship, from one program and one folder of your own.",
		Features:  "Features", ExampleTitle: "Ask whether an app must update",
		FeatureList: []feature{
			{"Update checks", "An app asks, and learns whether it may or must update, and to which version."},
			{"Downloads", "Files keep their links for ever and continue where a broken line left off."},
			{"Announcements", "Tell users of certain versions or platforms what they should know, in their language."},
			{"Feedback", "Hear what people think, answer it, and turn it into an issue at your code host."},
			{"Logs", "See the errors of an app in the field, with the device that they happened on."},
			{"Numbers", "Funnels, retention and adoption of versions, without cookies and third parties."},
		},

		By: "by", Since: "since", Website: "Website", Documentation: "Documentation", Repository: "Repository",
		LatestVersion: "Latest version", Version: "Version", Versions: "Versions", AllVersions: "All versions",
		NoVersion: "No version has been published yet.",
		Latest:    "Latest", Preview: "Preview", Milestone: "Milestone", Deprecated: "Deprecated", Details: "Details", Download: "Download",
		Announcements: "Announcements", Pinned: "Pinned:", ReadMore: "Read more", ReadAll: "Read all", Close: "Close",
		BackToProject: "Back to the project", Newer: "Newer versions", Older: "Older versions", PagesOfVersions: "Pages of versions",
		LastUpdated:  "Last updated",
		MissingTitle: "Page not found", MissingText: "There is nothing at this address. It may have been moved or deleted.",
		FailedTitle: "This page could not be loaded", FailedText: "Something went wrong on the server. Please try again in a moment.",
		TryAgain:         "Try again",
		UnpublishedTitle: "Not published yet", UnpublishedText: "The operator of this site has not published this document yet.",
		Search: "Search the reference", Find: "Search", Contents: "Contents", SearchResults: "Search results", FoundOperations: "%d operations",
		Authentication: "Authentication", Needs: "Needs one of:", Scope: "scope of an API key:", NoCredential: "Needs no credential.",
		Parameters: "Parameters", Body: "Body", Example: "Example", TryIt: "Try it", Sending: "Sending …", NoAnswer: "There was no answer.",
		Credential: "Token or API key (stays in this tab)", Send: "Send", Answers: "Answers", Required: "required",
		AboutProject: "Versions, downloads and announcements of %s.", others: "Other platforms",
	},
	terms.Chinese: {
		Tag: "zh-CN", Name: "简体中文", date: "2006年1月2日",
		SkipToContent: "跳到正文", Site: "站点", Reference: "API 参考", Console: "打开控制台",
		Terms: "条款", Languages: "语言", Start: "首页", Original: "原文", Documents: "文件", ShowMore: "展开", ShowLess: "收起",

		HomeTitle: "应用发布之后所需的一切",
		HomeText:  "更新、公告、反馈、日志与统计，一个程序、一个目录，全部掌握在您自己手中。",
		Features:  "功能", ExampleTitle: "查询应用是否需要更新",
		FeatureList: []feature{
			{"更新检查", "应用发起查询，即可得知能否更新、是否必须更新，以及更新到哪个版本。"},
			{"文件分发", "下载链接永久有效，网络中断后可从断点继续。"},
			{"公告", "以用户的语言，向特定版本或平台的用户发布消息。"},
			{"反馈", "倾听用户的意见，处理并回复，也可转为代码托管平台上的议题。"},
			{"日志", "查看应用在用户设备上发生的错误，以及当时的设备信息。"},
			{"统计", "漏斗、留存与版本采用率，不用 Cookie，也不经第三方。"},
		},

		By: "作者：", Since: "首次发布于", Website: "网站", Documentation: "文档", Repository: "代码仓库",
		LatestVersion: "最新版本", Version: "版本", Versions: "版本历史", AllVersions: "全部版本", NoVersion: "尚未发布任何版本。",
		Latest: "最新", Preview: "预览版", Milestone: "里程碑", Deprecated: "已弃用", Details: "详情", Download: "下载",
		Announcements: "公告", Pinned: "置顶：", ReadMore: "阅读全文", ReadAll: "查看全部", Close: "关闭",
		BackToProject: "返回项目页", Newer: "较新的版本", Older: "较早的版本", PagesOfVersions: "版本分页", LastUpdated: "最后更新于",
		MissingTitle: "页面不存在", MissingText: "此地址没有内容，可能已被移动或删除。",
		FailedTitle: "页面加载失败", FailedText: "服务器出现问题，请稍后重试。", TryAgain: "重试",
		UnpublishedTitle: "尚未发布", UnpublishedText: "本站的运营者尚未发布此文件。",
		Search: "搜索参考文档", Find: "搜索", Contents: "目录", SearchResults: "搜索结果", FoundOperations: "%d 个操作",
		Authentication: "认证", Needs: "需要以下凭据之一：", Scope: "API 密钥权限范围：", NoCredential: "无需凭据。",
		Parameters: "参数", Body: "请求体", Example: "示例", TryIt: "试一试", Sending: "正在发送……", NoAnswer: "没有收到响应。",
		Credential: "令牌或 API 密钥（仅保留在此标签页）", Send: "发送", Answers: "响应", Required: "必填",
		AboutProject: "%s 的版本、下载与公告。", others: "其他平台",
	},
}

// moment is a time in a readable and a machine-readable form. Both are in UTC. The visitor's time
// zone is unknown without a script, and several visitors share a cached page.
type moment struct{ People, Machine string }

func (w *words) moment(at int64) moment {
	t := time.Unix(at, 0).UTC()
	return moment{t.Format(w.date), t.Format(time.RFC3339)}
}

// platform returns the display name of a platform.
func (w *words) platform(p platform.Platform) string {
	switch p {
	case platform.MacOS:
		return "macOS"
	case platform.IOS:
		return "iOS"
	case platform.Others:
		return w.others
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}
