package geo

import "strings"

// Province returns the Chinese province that contains the place with the given code. Codes have six
// digits and are defined by the standard GB/T 2260. province is the code of the province. name is
// its Chinese name, or its code if the name is not known. ok is false if code does not have six
// digits.
func Province(code string) (province, name string, ok bool) {
	if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
		return "", "", false
	}
	province = code[:2] + "0000"
	if name = provinceNames[province]; name == "" {
		name = province
	}
	return province, name, true
}

var provinceNames = map[string]string{
	"110000": "北京市", "120000": "天津市", "130000": "河北省", "140000": "山西省", "150000": "内蒙古自治区",
	"210000": "辽宁省", "220000": "吉林省", "230000": "黑龙江省",
	"310000": "上海市", "320000": "江苏省", "330000": "浙江省", "340000": "安徽省", "350000": "福建省", "360000": "江西省", "370000": "山东省",
	"410000": "河南省", "420000": "湖北省", "430000": "湖南省", "440000": "广东省", "450000": "广西壮族自治区", "460000": "海南省",
	"500000": "重庆市", "510000": "四川省", "520000": "贵州省", "530000": "云南省", "540000": "西藏自治区",
	"610000": "陕西省", "620000": "甘肃省", "630000": "青海省", "640000": "宁夏回族自治区", "650000": "新疆维吾尔自治区",
	"710000": "台湾省", "810000": "香港特别行政区", "820000": "澳门特别行政区",
}

// division is a province of China, with the names that geographic databases use for it.
type division struct {
	digits string // the first two digits of its code, which were its code in ISO 3166-2 until 2017
	iso    string // its present code in ISO 3166-2, without the country
	names  string // the beginnings of its English names, only letters, separated by blanks
	// cities lists the prefectures and cities of the province. Each entry consists of the
	// next two digits of the code and the English name, only letters. A city with several
	// names has one entry for each.
	cities string
}

var divisions = []division{
	{"11", "BJ", "beijing", "01 beijing"},
	{"12", "TJ", "tianjin", "01 tianjin"},
	{
		"13", "HE", "hebei",
		"01 shijiazhuang 02 tangshan 03 qinhuangdao 04 handan 05 xingtai 06 baoding 07 zhangjiakou 08 chengde 09 cangzhou 10 langfang 11 " +
			"hengshui",
	},
	{
		"14", "SX", "shanxi",
		"01 taiyuan 02 datong 03 yangquan 04 changzhi 05 jincheng 06 shuozhou 07 jinzhong 08 yuncheng 09 xinzhou 10 linfen 11 luliang 11 lvliang",
	},
	{
		"15", "NM", "innermongol neimeng",
		"01 hohhot 01 huhehaote 02 baotou 03 wuhai 04 chifeng 05 tongliao 06 ordos 06 eerduosi 07 hulunbuir 07 hulunbeier 08 bayannur 08 " +
			"bayannaoer 09 ulanqab 09 wulanchabu 22 hinggan 22 xingan 25 xilingol 25 xilinguole 29 alxa 29 alashan",
	},

	{
		"21", "LN", "liaoning",
		"01 shenyang 02 dalian 03 anshan 04 fushun 05 benxi 06 dandong 07 jinzhou 08 yingkou 09 fuxin 10 liaoyang 11 panjin 12 tieling 13 " +
			"chaoyang 14 huludao",
	},
	{"22", "JL", "jilin", "01 changchun 02 jilin 03 siping 04 liaoyuan 05 tonghua 06 baishan 07 songyuan 08 baicheng 24 yanbian"},
	{
		"23", "HL", "heilongjiang",
		"01 harbin 01 haerbin 02 qiqihar 02 qiqihaer 03 jixi 04 hegang 05 shuangyashan 06 daqing 07 yichun 08 jiamusi 09 qitaihe 10 mudanjiang " +
			"11 heihe 12 suihua 27 daxinganling",
	},

	{"31", "SH", "shanghai", "01 shanghai"},
	{
		"32", "JS", "jiangsu",
		"01 nanjing 02 wuxi 03 xuzhou 04 changzhou 05 suzhou 06 nantong 07 lianyungang 08 huaian 09 yancheng 10 yangzhou 11 zhenjiang 12 " +
			"taizhou 13 suqian",
	},
	{
		"33", "ZJ", "zhejiang",
		"01 hangzhou 02 ningbo 03 wenzhou 04 jiaxing 05 huzhou 06 shaoxing 07 jinhua 08 quzhou 09 zhoushan 10 taizhou 11 lishui",
	},
	{
		"34", "AH", "anhui",
		"01 hefei 02 wuhu 03 bengbu 04 huainan 05 maanshan 06 huaibei 07 tongling 08 anqing 10 huangshan 11 chuzhou 12 fuyang 13 suzhou 15 " +
			"luan 15 liuan 16 bozhou 17 chizhou 18 xuancheng",
	},
	{"35", "FJ", "fujian", "01 fuzhou 02 xiamen 03 putian 04 sanming 05 quanzhou 06 zhangzhou 07 nanping 08 longyan 09 ningde"},
	{
		"36", "JX", "jiangxi",
		"01 nanchang 02 jingdezhen 03 pingxiang 04 jiujiang 05 xinyu 06 yingtan 07 ganzhou 08 jian 09 yichun 10 fuzhou 11 shangrao",
	},
	{
		"37", "SD", "shandong",
		"01 jinan 02 qingdao 03 zibo 04 zaozhuang 05 dongying 06 yantai 07 weifang 08 jining 09 taian 10 weihai 11 rizhao 13 linyi 14 dezhou " +
			"15 liaocheng 16 binzhou 17 heze",
	},

	{
		"41", "HA", "henan",
		"01 zhengzhou 02 kaifeng 03 luoyang 04 pingdingshan 05 anyang 06 hebi 07 xinxiang 08 jiaozuo 09 puyang 10 xuchang 11 luohe 12 " +
			"sanmenxia 13 nanyang 14 shangqiu 15 xinyang 16 zhoukou 17 zhumadian",
	},
	{
		"42", "HB", "hubei",
		"01 wuhan 02 huangshi 03 shiyan 05 yichang 06 xiangyang 06 xiangfan 07 ezhou 08 jingmen 09 xiaogan 10 jingzhou 11 huanggang 12 " +
			"xianning 13 suizhou 28 enshi",
	},
	{
		"43", "HN", "hunan",
		"01 changsha 02 zhuzhou 03 xiangtan 04 hengyang 05 shaoyang 06 yueyang 07 changde 08 zhangjiajie 09 yiyang 10 chenzhou 11 yongzhou 12 " +
			"huaihua 13 loudi 31 xiangxi",
	},
	{
		"44", "GD", "guangdong",
		"01 guangzhou 01 canton 02 shaoguan 03 shenzhen 04 zhuhai 05 shantou 06 foshan 07 jiangmen 08 zhanjiang 09 maoming 12 zhaoqing 13 " +
			"huizhou 14 meizhou 15 shanwei 16 heyuan 17 yangjiang 18 qingyuan 19 dongguan 20 zhongshan 51 chaozhou 52 jieyang 53 yunfu",
	},
	{
		"45", "GX", "guangxi",
		"01 nanning 02 liuzhou 03 guilin 04 wuzhou 05 beihai 06 fangchenggang 07 qinzhou 08 guigang 09 yulin 10 baise 10 bose 11 hezhou 12 " +
			"hechi 13 laibin 14 chongzuo",
	},
	{"46", "HI", "hainan", "01 haikou 02 sanya 03 sansha 04 danzhou"},

	{"50", "CQ", "chongqing", "01 chongqing"},
	{
		"51", "SC", "sichuan",
		"01 chengdu 03 zigong 04 panzhihua 05 luzhou 06 deyang 07 mianyang 08 guangyuan 09 suining 10 neijiang 11 leshan 13 nanchong 14 " +
			"meishan 15 yibin 16 guangan 17 dazhou 18 yaan 19 bazhong 20 ziyang 32 aba 32 ngawa 33 ganzi 33 garze 34 liangshan",
	},
	{"52", "GZ", "guizhou", "01 guiyang 02 liupanshui 03 zunyi 04 anshun 05 bijie 06 tongren 23 qianxinan 26 qiandongnan 27 qiannan"},
	{
		"53", "YN", "yunnan",
		"01 kunming 03 qujing 04 yuxi 05 baoshan 06 zhaotong 07 lijiang 08 puer 09 lincang 23 chuxiong 25 honghe 26 wenshan 28 xishuangbanna " +
			"29 dali 31 dehong 33 nujiang 34 diqing 34 deqen",
	},
	{
		"54", "XZ", "tibet xizang",
		"01 lhasa 01 lasa 02 xigaze 02 shigatse 02 rikaze 03 qamdo 03 chamdo 03 changdu 04 nyingchi 04 linzhi 05 shannan 05 lhoka 06 nagqu 06 " +
			"naqu 25 ngari 25 ali",
	},

	{"61", "SN", "shaanxi", "01 xian 02 tongchuan 03 baoji 04 xianyang 05 weinan 06 yanan 07 hanzhong 08 yulin 09 ankang 10 shangluo"},
	{
		"62", "GS", "gansu",
		"01 lanzhou 02 jiayuguan 03 jinchang 04 baiyin 05 tianshui 06 wuwei 07 zhangye 08 pingliang 09 jiuquan 10 qingyang 11 dingxi 12 " +
			"longnan 29 linxia 30 gannan",
	},
	{"63", "QH", "qinghai", "01 xining 02 haidong 22 haibei 23 huangnan 25 hainan 26 golog 26 guoluo 27 yushu 28 haixi"},
	{"64", "NX", "ningxia", "01 yinchuan 02 shizuishan 03 wuzhong 04 guyuan 05 zhongwei"},
	{
		"65", "XJ", "xinjiang",
		"01 urumqi 01 wulumuqi 02 karamay 02 kelamayi 04 turpan 04 tulufan 05 hami 05 kumul 23 changji 27 bortala 27 boertala 28 bayingolin 28 " +
			"bayinguoleng 29 aksu 29 akesu 30 kizilsu 31 kashgar 31 kashi 32 hotan 32 hetian 40 ili 40 yili 42 tacheng 42 tarbagatay 43 altay 43 " +
			"aletai",
	},

	{"71", "TW", "taiwan", ""},
	{"81", "HK", "hongkong xianggang", ""},
	{"82", "MO", "macao macau aomen", ""},
}

// cityCodes contains the code of each city. A key consists of the two digits of the
// province and the name of the city.
var cityCodes = indexCities()

func indexCities() map[string]string {
	codes := map[string]string{}
	for _, d := range divisions {
		list := strings.Fields(d.cities)
		for i := 0; i+1 < len(list); i += 2 {
			codes[d.digits+list[i+1]] = d.digits + list[i] + "00"
		}
	}
	return codes
}

// chineseCodes returns the codes of a province and of a city in it. iso is the ISO 3166-2 code of
// the province; region is its English name, which is used if that code is not known; city is the
// English name of the city. A code is "" if the place is not known. Four cities are also provinces:
// each has a single city code, which is returned whatever city is.
func chineseCodes(iso, region, city string) (province, cityCode string) {
	d, ok := findDivision(strings.TrimPrefix(iso, "CN-"), letters(region))
	if !ok {
		return "", ""
	}
	province = d.digits + "0000"
	if list := strings.Fields(d.cities); len(list) == 2 {
		return province, d.digits + list[0] + "00"
	}
	city = strings.TrimSuffix(strings.TrimSuffix(city, " City"), " Shi")
	return province, cityCodes[d.digits+letters(city)]
}

func findDivision(iso, name string) (division, bool) {
	for _, d := range divisions {
		if iso == d.iso || iso == d.digits {
			return d, true
		}
	}
	for _, d := range divisions {
		if startsWithOne(name, d.names) {
			return d, true
		}
	}
	return division{}, false
}

// startsWithOne reports whether text starts with one of the words in list, which are separated by
// blanks.
func startsWithOne(text, list string) bool {
	for word := range strings.FieldsSeq(list) {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// letters returns the letters of a name, in lower case. It replaces the letters with diacritics
// that occur in Chinese names with plain ones.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ê', r == 'é', r == 'è', r == 'Ê':
			return 'e'
		case r == 'ü', r == 'Ü':
			return 'u'
		}
		return -1
	}, name)
}
