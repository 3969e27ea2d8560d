package demo

// names contains the local parts of the users' e-mail addresses.
var names = []string{
	"amina", "bo", "chiara", "dmitri", "elif", "fatou", "gustav", "hana", "ines", "jun", "kofi", "lena", "mateo", "noor", "olga", "priya",
	"quan", "ruth", "sami", "tove",
}

var fileNames = []string{
	"letter.md", "第三章.md", "report-final-2.docx", "مسودة.md", "harbour.kml", "aurora.lpx", "Kapitel 7.md", "photo_0412.heic",
}

// answers contains notes for feedback that has been resolved.
var answers = []string{
	"Fixed in the release after. Thank you for the clear report.",
	"Answered by mail: the setting is under View, Page.",
	"Reproduced and fixed.",
	"Already possible; the handbook says it more clearly now.",
	"已在新版本中修复，感谢反馈。",
	"Done. It came out a week later.",
}

var spams = []string{
	"BEST PRICES on watches and pills, click https://offers.invalid/now !!!",
	"Hello dear, I have 4.500.000 for you in a bank. Answer quickly.",
	"seo seo seo first place guaranteed in 3 days, write to rank@offers.invalid",
	"低价刷好评，加微信 000000",
}

// everywhere contains feedback that fits every app.
var everywhere = []voice{
	{"en", 5, "Does one thing and does it well. Thank you."},
	{"en", 4, "Very good, but please remember the size of the window."},
	{"en", 3, "Fine on the desk, a little cramped on the phone."},
	{"en", 2, "Since {version} the start takes much longer than before."},
	{"en", 1, "Crashed twice this morning. I lost ten minutes of work, and that is ten minutes too many."},
	{"en", 5, "The update took eight seconds and changed nothing that I had to learn again. This is how updates should be."},
	{"en", 0, "Where can I find the list of shortcuts?"},
	{"en", 4, "Could the text be larger? My eyes are 71 years old. Everything else is lovely 🙂"},
	{"zh", 5, "非常好用，界面干净，没有广告，希望一直保持下去。"},
	{"zh", 4, "整体不错，希望可以自定义快捷键。"},
	{"zh", 2, "更新到 {version} 之后启动变慢了，大概要等五六秒。"},
	{"zh", 1, "打开文件时闪退，已经重装两次，问题依旧。"},
	{"zh", 3, "手机端按钮太小，经常点错。"},
	{"zh", 0, "请问如何导出全部数据？"},
	{"ja", 5, "とても使いやすいです。動作も軽く、毎日使っています。"},
	{"ja", 4, "縦書きに対応していただけるとうれしいです。"},
	{"ja", 2, "{version} に更新してから、起動に時間がかかるようになりました。"},
	{"ja", 3, "機能は十分ですが、文字が少し小さいです。"},
	{"ar", 5, "تطبيق رائع وسهل الاستخدام، شكرًا لكم على العمل المتقن."},
	{"ar", 3, "اتجاه النص يختلط عندما أكتب كلمات English داخل الفقرة العربية."},
	{"ar", 2, "منذ الإصدار {version} أصبح فتح الملفات أبطأ من قبل."},
	{"ar", 4, "أرجو إضافة الخط النسخ إلى قائمة الخطوط."},
	{"de", 5, "Genau so stelle ich mir ein Programm vor: schnell, ruhig, ohne Schnickschnack."},
	{"de", 4, "Sehr gut! Schön wäre noch eine Rechtschreibprüfung für Schweizer Hochdeutsch."},
	{"de", 2, "Seit {version} hängt das Fenster beim Größerziehen für zwei bis drei Sekunden."},
	{"de", 1, "Nach dem Aktualisieren waren meine Voreinstellungen weg. Ärgerlich."},
	{"fr", 5, "Simple, rapide et sans publicité. Merci à toute l'équipe !"},
	{"fr", 3, "Il manque un mode sombre digne de ce nom."},
	{"tr", 4, "Çok güzel olmuş, yalnızca Türkçe çeviride küçük hatalar var."},
	{"pt", 4, "Muito bom. Falta só poder mudar a cor do fundo."},
	{"ko", 5, "가볍고 빠릅니다. 감사합니다."},
	{"nl", 4, "Fijn programma, maar de zoekfunctie vindt geen hele zinnen."},
}
