package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
)

// phrases are parts of long texts. They contain several scripts, letters with diacritics,
// characters that JSON escapes, and symbols outside of the basic multilingual plane.
var phrases = [...]string{
	"connection reset by peer while reading the answer",
	"die Verbindung wurde vom Gegenüber zurückgesetzt, größere Übertragung",
	"la connexion a été réinitialisée à l’étape précédente",
	"подключение сброшено другой стороной при чтении ответа",
	"服务器在规定时间内没有响应，请稍后重试",
	"サーバーからの応答がありません。再試行しています",
	"서버가 응답하지 않아 다시 시도합니다",
	"انقطع الاتصال بالخادم أثناء قراءة الرد",
	"सर्वर से जवाब नहीं मिला, फिर कोशिश की जा रही है",
	"η σύνδεση διακόπηκε από τον διακομιστή",
	"bağlantı karşı tarafça sıfırlandı, İstanbul ışıkları",
	"🚀 deploy ✅ 👩‍💻 rollback ⚠️",
	"\"quoted\" C:\\Program Files\\App\\crash.dmp\t<b>&amp;</b>",
	"\n\tat com.example.app.net.Client$Inner.lambda$call$0(Client.java:421)",
	"\n\tgoroutine 17 [select, 3 minutes]: net/http.(*persistConn).writeLoop",
}

// appendText appends a text of about size bytes. It consists of phrases, separated by numbers and
// tokens.
func appendText(b []byte, r *rand.Rand, size int) []byte {
	for end := len(b) + size; len(b) < end; {
		b = append(b, phrases[r.IntN(len(phrases))]...)
		if r.IntN(2) == 0 {
			b = fmt.Appendf(b, " %x", r.Uint32())
		}
		b = append(b, ' ')
	}
	return b
}

// lengthBetween returns a random length in the range [least, most]. Its logarithm is uniformly
// distributed, so shorter lengths are more frequent.
func lengthBetween(r *rand.Rand, least, most int) int {
	return int(float64(least) * math.Exp(r.Float64()*math.Log(float64(most)/float64(least))))
}

// appendQuoted appends a text as a JSON string.
func appendQuoted(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // cannot fail for a string
	}
	return append(b, quoted...)
}
