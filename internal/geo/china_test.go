package geo

import (
	"strings"
	"testing"
)

// provinceTable is the table of provinces in the API documentation.
const provinceTable = `110000 北京市 · 120000 天津市 · 130000 河北省 · 140000 山西省 · 150000 内蒙古自治区 · 210000 辽宁省 · 220000 吉林省 · 230000 黑龙江省 · 310000 上海市 · 320000 江苏省 · 330000 浙江省 · 340000 安徽省 · 350000 福建省 · 360000 江西省 · 370000 山东省 · 410000 河南省 · 420000 湖北省 · 430000 湖南省 · 440000 广东省 · 450000 广西壮族自治区 · 460000 海南省 · 500000 重庆市 · 510000 四川省 · 520000 贵州省 · 530000 云南省 · 540000 西藏自治区 · 610000 陕西省 · 620000 甘肃省 · 630000 青海省 · 640000 宁夏回族自治区 · 650000 新疆维吾尔自治区 · 710000 台湾省 · 810000 香港特别行政区 · 820000 澳门特别行政区`

func TestProvinces(t *testing.T) {
	t.Parallel()
	count := 0
	for row := range strings.SplitSeq(provinceTable, " · ") {
		count++
		code, want, _ := strings.Cut(row, " ")
		for _, below := range []string{code, code[:2] + "0100", code[:2] + "9999"} {
			if province, name, ok := Province(below); province != code || name != want || !ok {
				t.Errorf("%s: got %s, %s, %v, want %s, %s", below, province, name, ok, code, want)
			}
		}
	}
	if count != 34 || len(provinceNames) != count || len(divisions) != count {
		t.Errorf("got %d names and %d divisions, want %d", len(provinceNames), len(divisions), count)
	}
	for _, d := range divisions {
		if provinceNames[d.digits+"0000"] == "" {
			t.Errorf("division %s has no name", d.digits)
		}
	}
	if province, name, ok := Province("990100"); province != "990000" || name != "990000" || !ok {
		t.Errorf("a province that is not known: got %s, %s, %v, want its code for a name", province, name, ok)
	}
	for _, none := range []string{"", "44", "44000", "4400000", "44000x", "GD0000"} {
		if province, name, ok := Province(none); ok || province != "" || name != "" {
			t.Errorf("%q: got %s, %s, %v, want no code", none, province, name, ok)
		}
	}
}

func TestChineseCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, iso, region, city, province, cityCode string }{
		{"by letters", "GD", "Guangdong", "Guangzhou", "440000", "440100"},
		{"by digits, as before 2017", "44", "Guangdong", "Guangzhou", "440000", "440100"},
		{"by the whole code", "CN-GD", "Guangdong", "Guangzhou", "440000", "440100"},
		{"by the name, without a code", "", "Guangdong", "Shenzhen", "440000", "440300"},
		{"by the name, with a code of another kind", "30", "Guangdong Province", "Shenzhen", "440000", "440300"},
		{"the code counts more than the name", "GD", "Somewhere", "", "440000", ""},
		{"the one with two a is another province", "", "Shaanxi", "Xi'an", "610000", "610100"},
		{"than the one with one", "", "Shanxi", "Taiyuan", "140000", "140100"},
		{"a long name", "", "Inner Mongolia Autonomous Region", "Hohhot", "150000", "150100"},
		{"another long name", "", "Guangxi Zhuangzu Zizhiqu", "Guilin", "450000", "450300"},
		{"marks do not count", "XJ", "Xinjiang", "Ürümqi", "650000", "650100"},
		{"nor do other marks", "XZ", "Tibet", "Xigazê", "540000", "540200"},
		{"a city of the same name in one province", "JS", "Jiangsu", "Suzhou", "320000", "320500"},
		{"and in another", "AH", "Anhui", "Suzhou", "340000", "341300"},
		{"a city behind its kind", "NM", "", "Ordos City", "150000", "150600"},
		{"a city that is a province", "BJ", "Beijing", "Beijing", "110000", "110100"},
		{"a part of such a city", "SH", "Shanghai", "Pudong", "310000", "310100"},
		{"no part of such a city", "CQ", "Chongqing", "", "500000", "500100"},
		{"a city of another province", "GD", "Guangdong", "Suzhou", "440000", ""},
		{"a town", "JS", "Jiangsu", "Kunshan", "320000", ""},
		{"no city", "JS", "Jiangsu", "", "320000", ""},
		{"a province without a list", "TW", "Taiwan", "Taipei", "710000", ""},
		{"nothing", "", "", "", "", ""},
		{"what is not known", "XX", "Atlantis", "Guangzhou", "", ""},
	} {
		province, cityCode := chineseCodes(tc.iso, tc.region, tc.city)
		if province != tc.province || cityCode != tc.cityCode {
			t.Errorf("%s: %q, %q, %q: got %q, %q, want %q, %q", tc.name, tc.iso, tc.region, tc.city, province, cityCode, tc.province, tc.cityCode)
		}
	}
}

// TestCityTable checks the form of the table. Each entry must consist of two digits and a
// name of letters. Entries must be in order, and names unique within a province. Each
// province must be found by its own names.
func TestCityTable(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, d := range divisions {
		list := strings.Fields(d.cities)
		if len(list)%2 != 0 {
			t.Errorf("%s: got %d words, want pairs", d.digits, len(list))
			continue
		}
		last, names := "", map[string]bool{}
		for i := 0; i < len(list); i += 2 {
			digits, name := list[i], list[i+1]
			if len(digits) != 2 || strings.Trim(digits, "0123456789") != "" || digits < last || letters(name) != name || names[name] {
				t.Errorf("%s: %s %s breaks the order or the form", d.digits, digits, name)
			}
			last, names[name], codes[d.digits+digits] = digits, true, true
			if province, code := chineseCodes(d.iso, "", name); province != d.digits+"0000" || code != d.digits+digits+"00" {
				t.Errorf("%s in %s: got %s, %s", name, d.iso, province, code)
			}
		}
		for name := range strings.FieldsSeq(d.names) {
			if found, ok := findDivision("", name); !ok || found.digits != d.digits {
				t.Errorf("%s: got %s", name, found.digits)
			}
		}
	}
	// 333 cities in provinces, and four cities that are provinces
	if len(codes) != 337 {
		t.Errorf("got %d cities, want 337", len(codes))
	}
}
