package pages

import (
	"strings"
	"time"

	"svc/internal/platform"
	"svc/internal/terms"
)

// words holds the texts of pages in one language.
type words struct {
	Tag  string // the language's tag (BCP 47)
	Name string // name of the language in that language
	date string // date format, as in package time

	SkipToContent, Site, Reference, Console, Terms, Languages, Start, Original, Documents, ShowMore, ShowLess string

	HomeText, Apps, NoApps, ServedBy string

	DownloadFor, OtherDownloads                   string // DownloadFor contains one %s for a system
	Today, Yesterday                              string
	DaysAgo, MonthsAgo, YearsAgo                  string // each contains one %d
	ChangesSince, WhatChanged, Show, NothingNewer string // ChangesSince contains one %s for a version

	By, Since, Website, Documentation, Repository                string
	LatestVersion, Version, Versions, AllVersions, NoVersion     string
	Latest, Preview, Milestone, Deprecated, Details, Download    string
	Announcements, Pinned, ReadMore, ReadAll, Close              string
	BackToProject, Newer, Older, PagesOfVersions, LastUpdated    string
	MissingTitle, MissingText, FailedTitle, FailedText, TryAgain string
	UnpublishedTitle, UnpublishedText                            string

	StartPublish, StartCheck, Rules string

	Search, Find, Contents, SearchResults, FoundOperations, Authentication, Needs, Scope, NoCredential, Parameters, Body, Example string
	TryIt, Sending, NoAnswer, Credential, Send, Answers, Required                                                                 string

	// AboutProject is the text for a project that has no description. It contains one %s for the
	// name of the project.
	AboutProject string
	others       string // text for platforms that have no name
}

// in returns the words of a language.
func in(l terms.Language) *words { return allWords[l] }

var allWords = [...]*words{
	terms.English: {
		Tag: "en", Name: "English", date: "2 January 2006",
		SkipToContent: "Skip to content", Site: "Site", Reference: "API reference", Console: "Open the console",
		Terms: "Terms", Languages: "Languages", Start: "Start page", Original: "Original", Documents: "Documents", ShowMore: "Show more",
		ShowLess: "Show less",

		HomeText: "Apps to download, their versions and announcements.", Apps: "Apps", NoApps: "No app has been published here yet.",
		ServedBy: "Served by svc",

		DownloadFor: "Download for %s", OtherDownloads: "Other downloads",
		Today: "today", Yesterday: "yesterday", DaysAgo: "%d days ago", MonthsAgo: "%d months ago", YearsAgo: "%d years ago",
		ChangesSince: "What changed since %s", WhatChanged: "What changed since version", Show: "Show",
		NothingNewer: "There is no newer version.",

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
		StartPublish: "Publish a version from CI", StartCheck: "Ask from an app whether it must update", Rules: "Rules of all requests",
		Search: "Search the reference", Find: "Search", Contents: "Contents", SearchResults: "Search results", FoundOperations: "%d operations",
		Authentication: "Authentication", Needs: "Needs one of:", Scope: "scope of an API key:", NoCredential: "Needs no credential.",
		Parameters: "Parameters", Body: "Body", Example: "Example", TryIt: "Try it", Sending: "Sending …", NoAnswer: "There was no answer.",
		Credential: "API key or login token (stays in this tab)", Send: "Send", Answers: "Answers", Required: "required",
		AboutProject: "Versions, downloads and announcements of %s.", others: "Other platforms",
	},
	terms.Chinese: {
		Tag: "zh-CN", Name: "简体中文", date: "2006年1月2日",
		SkipToContent: "跳到正文", Site: "站点", Reference: "API 参考", Console: "打开控制台",
		Terms: "条款", Languages: "语言", Start: "首页", Original: "原文", Documents: "文件", ShowMore: "展开", ShowLess: "收起",

		HomeText: "应用下载、版本与公告。", Apps: "应用", NoApps: "这里尚未发布任何应用。", ServedBy: "由 svc 提供服务",

		DownloadFor: "下载 %s 版", OtherDownloads: "其他下载",
		Today: "今天", Yesterday: "昨天", DaysAgo: "%d 天前", MonthsAgo: "%d 个月前", YearsAgo: "%d 年前",
		ChangesSince: "自 %s 以来的变化", WhatChanged: "查看自此版本以来的变化", Show: "查看", NothingNewer: "没有更新的版本。",

		By: "作者：", Since: "首次发布于", Website: "网站", Documentation: "文档", Repository: "代码仓库",
		LatestVersion: "最新版本", Version: "版本", Versions: "版本历史", AllVersions: "全部版本", NoVersion: "尚未发布任何版本。",
		Latest: "最新", Preview: "预览版", Milestone: "里程碑", Deprecated: "已弃用", Details: "详情", Download: "下载",
		Announcements: "公告", Pinned: "置顶：", ReadMore: "阅读全文", ReadAll: "查看全部", Close: "关闭",
		BackToProject: "返回项目页", Newer: "较新的版本", Older: "较早的版本", PagesOfVersions: "版本分页", LastUpdated: "最后更新于",
		MissingTitle: "页面不存在", MissingText: "此地址没有内容，可能已被移动或删除。",
		FailedTitle: "页面加载失败", FailedText: "服务器出现问题，请稍后重试。", TryAgain: "重试",
		UnpublishedTitle: "尚未发布", UnpublishedText: "本站的运营者尚未发布此文件。",
		StartPublish: "在 CI 中发布版本", StartCheck: "在应用中查询是否需要更新", Rules: "所有请求的通用规则",
		Search: "搜索参考文档", Find: "搜索", Contents: "目录", SearchResults: "搜索结果", FoundOperations: "%d 个操作",
		Authentication: "认证", Needs: "需要以下凭据之一：", Scope: "API 密钥权限范围：", NoCredential: "无需凭据。",
		Parameters: "参数", Body: "请求体", Example: "示例", TryIt: "试一试", Sending: "正在发送……", NoAnswer: "没有收到响应。",
		Credential: "API 密钥或登录令牌（仅保留在此标签页）", Send: "发送", Answers: "响应", Required: "必填",
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
