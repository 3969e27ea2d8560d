// The findings of the server's checks of itself, by the names of checks and the codes of findings.
// For a finding that is not listed here, the server's text is shown.

import type { Findings } from "../en/findings";

export const titles: Record<string, string> = {
  settings: "设置",
  server: "服务器",
  owner: "文件所有者",
  permissions: "权限",
  secrets: "密钥",
  databases: "数据库",
  index: "搜索索引",
  keys: "API 密钥",
  space: "可用空间",
  filesystem: "文件系统",
  fast_commit: "文件系统日志",
  synchroniser: "同步程序",
  clock: "时钟",
  time_zone: "时区",
  leftovers: "残留文件",
  backup: "备份",
  replication: "复制",
  jobs: "定时任务",
  hooks: "通知",
  certificates: "TLS 证书",
  proxy: "代理",
  links: "文件链接",
  terms: "条款文件",
  submissions: "反馈与日志",
  event_names: "事件名称",
  bootstrap: "初始密码",
  memory: "内存限制",
  handles: "打开文件数",
};

const clock = "校准时钟，并用 NTP 同步（timedatectl set-ntp true）";
const renewal = "服务器会自动续期：请在服务器日志中查找原因；80 或 443 端口必须能从互联网访问";
const replacement = "请更换证书；服务器会自动加载新证书";
const schedule = "将 backup.every 设为 24h，将 backup.dir 设为另一块磁盘上的目录，或用定时器运行 svc backup";
const salt = "恢复原来的盐（API_KEY_SALT 或 secrets.toml），或逐个更换密钥：svc apikey rotate ID";
const space = "释放该磁盘的空间，或停止服务器并将数据目录移到更大的磁盘";
const move = "将数据目录移到别处，改为让它同步备份";
const password = "登录后该文件会自动删除，然后请修改密码";
const rebuilding = "在此之前，搜索直接读取记录";

/** Returns the text for one or more files, of which it names the first. */
const some = (path: string, others: string) => (others === "0" ? path : `${path} 等 ${Number(others) + 1} 个文件`);
const ignored = (headers: string, peer: string, at: string) => `${at} 来自 ${peer} 的 ${headers} 未被采用：`;

type Text = (...values: string[]) => [what: string, repair: string];

/** The texts of findings, by code. Each one is a function of the finding's values. */
export const texts: Record<string, Text> = {
  backup_unscheduled: () => ["未安排备份", schedule],
  backup_unscheduled_with_last: (dir = "", days = "") => [`未安排备份；${dir} 中最近的备份已有 ${days} 天`, schedule],
  backup_folder: (error = "") => [`无法备份：${error}`, "按提示处理，然后运行：svc job run backup"],
  replica_fenced: () => [
    "另一台服务器已成为主服务器，因此本服务器不接受写入",
    "让客户端连接那台服务器；svc replicate status 显示仅本机拥有的内容",
  ],
  replica_unreachable: (since = "", failure = "") => [`复制目标自 ${since} 起失败：${failure}`, "按提示处理；服务器会自动重试"],
  replica_behind: (seconds = "") => [`有更改已 ${seconds} 秒未到达复制目标`, "网络或目标的磁盘太慢；svc replicate status 显示等待的数据量"],
  standby_behind: (seconds = "") => [`此备用服务器已 ${seconds} 秒未收到主服务器的消息`, "请检查主服务器；如果它已不在：svc promote"],
  replica_replaces: () => [
    "目标会替换已存在的对象，因此无法阻止旧的主服务器",
    "使用支持 If-None-Match: * 的存储，或在每次 svc promote 之前停止旧的主服务器",
  ],
  replica_clock: (seconds = "") => [`目标的时钟相差 ${seconds} 秒`, "用 NTP 同步两台机器的时钟；按时间点恢复时使用本机的时钟"],
  replica_damaged: (error = "", job = "") => [
    `上次验证副本失败：${error}`,
    `生成新的快照：svc replicate snapshot；解决原因后运行：svc job run ${job}`,
  ],
  replica_same_disk: (dir = "") => [
    `副本与数据在同一块磁盘上，会一同丢失：${dir}`,
    "将 replicate.to 设为另一台机器上的位置，或至少另一块磁盘",
  ],
  replica_not_encrypted: () => [
    "副本包含所有密钥，而目标可以读取它们",
    "将 replicate.recipient 设为接收者的 age 公钥；可用 age-keygen 生成",
  ],
  replica_identity: (name = "") => [`用于解密的私钥与数据放在一起，会一同丢失：${name}`, "将它移到另一台机器：没有它就无法读取加密的副本"],
  backup_missing: (dir = "") => [`已安排备份，但 ${dir} 中没有备份`, "如果服务器的运行时间已超过 backup.every，请在其日志中查找原因"],
  backup_late: (at = "", every = "") => [
    `上次备份的时间是 ${at}，而 backup.every 为 ${every}`,
    "请在服务器日志中查找原因；svc backup FILE 可立即备份",
  ],
  backup_same_disk: (dir = "") => [`备份与数据在同一块磁盘上，会随之一同丢失：${dir}`, "将 backup.dir 设为另一块磁盘上的目录"],
  certificate_unusable_given: (certificate = "", error = "") => [`${certificate} 及其密钥无法使用：${error}`, replacement],
  certificate_unusable_fetched: (certificate = "", error = "") => [`${certificate} 及其密钥无法使用：${error}`, renewal],
  certificate_expired_given: (certificate = "", at = "") => [`${certificate} 已于 ${at} 过期`, replacement],
  certificate_expired_fetched: (certificate = "", at = "") => [`${certificate} 已于 ${at} 过期`, renewal],
  certificate_expires_given: (certificate = "", at = "", days = "") => [`${certificate} 将于 ${at} 过期，还剩 ${days} 天`, replacement],
  certificate_expires_fetched: (certificate = "", at = "", days = "") => [`${certificate} 将于 ${at} 过期，还剩 ${days} 天`, renewal],
  certificate_early: (certificate = "", at = "") => [`${certificate} 在 ${at} 之前无效`, "校准时钟，或等待"],
  file_readable: (name = "", rights = "", path = "") => [`其他用户可以读取 ${name}`, `chmod ${rights} ${path}`],
  secret_readable: (key = "", file = "", rights = "", path = "") => [`其他用户可以读取 ${file} 中的 ${key}`, `chmod ${rights} ${path}`],
  secret_missing: (variable = "") => [
    `缺少 ${variable}：secrets.toml 和环境变量中都没有`,
    "从备份恢复 secrets.toml；否则下次启动会生成新的值，现有的登录和 API 密钥都会失效",
  ],
  secret_in_flag: (flag = "", variable = "", file = "") => [
    `--${flag} 会让所有能查看进程列表的人看到密钥`,
    `请改用 ${variable} 或 ${file}，并更换该密钥`,
  ],
  password_unused: (name = "") => [`生成的初始密码尚未使用；它保存在 ${name}`, password],
  password_unused_long: (days = "", name = "") => [`生成的初始密码已有 ${days} 天未使用；它保存在 ${name}`, password],
  clock_behind_file: (now = "", name = "", at = "") => [`当前时钟为 ${now}，但 ${name} 的写入时间是 ${at}`, clock],
  clock_behind_record: (now = "", at = "") => [
    `当前时钟为 ${now}，但最后一条记录的创建时间是 ${at}；在时钟超过该时间之前，新记录都使用该时间`,
    clock,
  ],
  time_zone_unknown: (zone = "") => [
    `TZ 为“${zone}”，不是已知的时区：定时任务和日志使用 UTC`,
    "请使用 Europe/Berlin 这样的名称，或安装时区数据",
  ],
  setting_invalid: (error = "") => [error, "请更正，参见 svc config；此处使用了默认值"],
  setting_misspelt: (error = "") => [error, "请在服务器的环境变量中更正名称"],
  server_unreachable: (error = "") => [error, "如果它是服务器，请停止（停不下来时用 kill -9）并重新启动；已确认的写入不会丢失"],
  server_other_version: (running = "", own = "") => [
    `正在运行的服务器是 svc ${running}，本程序是 svc ${own}`,
    "重新启动服务器即可使用新版本",
  ],
  not_examined: () => ["未检查", "先解决其他问题，再运行 svc doctor"],
  database_newer: (error = "") => [error, "重新安装较新的版本"],
  database_locked: (error = "") => [error, "停止正在占用它的程序"],
  database_damaged: (error = "") => [error, "停止服务器，保留一份数据目录的副本，然后恢复最近的备份；svc check 会指出损坏之处"],
  database_skipped: (name = "", reason = "") => [`未打开 ${name}：${reason}`, "svc check 会读取全部数据"],
  index_outdated: (error = "") => [`需要重建：${error}`, `下次启动会自动重建；${rebuilding}`],
  index_rebuilding: () => [`正在重建；${rebuilding}`, "请等待；一百万条日志约需两分钟"],
  index_behind: (changes = "") => [`落后 ${changes} 处更改`, "请在日志中查找它的错误；如果一直赶不上：svc reindex"],
  job_failed: (name = "", error = "", job = "") => [`${name} 失败：${error}`, `会自动重试；原因消除后可运行：svc job run ${job}`],
  hook_gone: (name = "", command = "") => [
    `钩子“${name}”已停用：接收方回答了 410 Gone`,
    `请更正地址并重新启用，或将其删除；可以试发：${command}`,
  ],
  hook_disabled: (name = "", command = "") => [
    `钩子“${name}”已停用：接收方失败的时间过长`,
    `请修复接收方，然后启用该钩子：等待中的事件会继续发送；可以试发：${command}`,
  ],
  hook_without_mail: (name = "") => [`钩子“${name}”要发送电子邮件，但没有邮件服务器`, "请设置 smtp.url 和 smtp.from"],
  hook_failing: (name = "", since = "", command = "") => [
    `钩子“${name}”自 ${since} 起发送失败`,
    `控制台中它的投递列表会说明原因；可以试发：${command}`,
  ],
  hooks_none: () => ["备份失败或磁盘将满时，没有人会收到通知", "请添加一个发送 instance.* 的实例钩子，例如发到 ntfy 或电子邮件"],
  links_without_host: () => ["文件链接没有自己的域名，不会镜像附件，也不会刷新 CDN", "将 dist.base_url 设为人们下载时使用的地址"],
  terms_unpublished: (slugs = "") => [`公开页面不显示 ${slugs}：占位符尚未填写`, "请在控制台的“站点设置”→“条款”中填写并保存"],
  logs_kept: (project = "", mib = "", same = "") => [
    `项目 ${project} 的日志占用 ${mib} MiB，且永久保留`,
    `设置 log.retention_days 或该项目的 log_retention_days；立即腾出空间：svc logs prune ${same} --before 90d`,
  ],
  submissions_unlimited: (mib = "") => [
    `反馈与日志占用 ${mib} MiB，单个项目可以一直发送到磁盘写满`,
    "将 submission.max_mib 设为单个项目最多可占用的大小",
  ],
  event_names_full: (project = "", names = "", same = "") => [
    `项目 ${project} 已有 ${names} 个事件名称，使用其他新名称的事件会被跳过`,
    `具体的值应放在属性中：请检查项目 ${same} 的事件名称；需要更多名称时，调高 event.max_names；不再使用的名称会在夜间移除`,
  ],
  keys_of_other_salt: (usable = "", all = "") => [`${all} 个 API 密钥中只有 ${usable} 个可用：其余的是用另一个 API_KEY_SALT 生成的`, salt],
  keys_of_other_salt_all: (all = "") => [`${all} 个 API 密钥都不可用：它们是用另一个 API_KEY_SALT 生成的`, salt],
  space_none: (free = "") => [`仅剩 ${free}：即将无法写入`, space],
  space_low: (free = "", needed = "") => [`仅剩 ${free}，不足数据库的两倍（${needed}），备份或升级时可能需要这么多`, space],
  filesystem_unknown: (error = "") => [`文件系统类型未知：${error}`, "请确认它是本地磁盘"],
  filesystem_memory: (data = "", kind = "") => [`${data} 位于 ${kind}：它在内存中，机器重启后会丢失`, "将数据目录移到磁盘上"],
  filesystem_container: (data = "", kind = "") => [
    `${data} 位于 ${kind}：它属于容器，容器重建后会丢失`,
    "在那里挂载一个卷，例如：docker run -v svc-data:/data",
  ],
  filesystem_remote: (data = "", kind = "") => [
    `${data} 位于 ${kind}：它是网络文件系统，锁和同步不可靠`,
    "将数据目录移到本地磁盘，将备份放到网络上",
  ],
  filesystem_shared: (data = "", kind = "") => [
    `${data} 位于 ${kind}：它是与另一个系统共享的目录，锁和同步不可靠`,
    "请改用本系统的卷或磁盘",
  ],
  filesystem_without_permissions: (data = "", kind = "") => [
    `${data} 位于 ${kind}：它没有权限和日志功能`,
    "请使用 ext4、xfs、APFS 或 NTFS 等文件系统",
  ],
  filesystem_fuse: (data = "", kind = "") => [`${data} 位于 ${kind}：它是 FUSE 文件系统，锁和同步可能不可靠`, "将数据目录移到本地磁盘"],
  fast_commit: (release = "", device = "") => [
    `Linux ${release} 上启用 fast_commit 的 ext4 在断电时可能损坏数据库`,
    `请使用 Linux 5.17 或更新版本，或将其关闭：tune2fs -O ^fast_commit ${device}`,
  ],
  unreadable: (error = "") => [error, "让运行 svc 的用户可以读取它"],
  permissions_open: (path = "", others = "", folder = "") => [`其他用户可以访问 ${some(path, others)}`, `chmod -R go= ${folder}`],
  owner_is_not_root: (owner = "") => [
    `当前用户是 root，而数据目录属于用户 ${owner}：未打开数据库`,
    `以所有者身份运行可检查全部内容：sudo -u '#${owner}' svc doctor`,
  ],
  owner_is_another: (owner = "", user = "", _user = "", folder = "") => [
    `数据目录属于用户 ${owner}，当前用户是 ${user}`,
    `以所有者身份运行，或以 root 身份运行：chown -R ${user} ${folder}`,
  ],
  owner_of_files: (path = "", others = "", owner = "", folder = "") => [
    `${some(path, others)}与数据目录属于不同的用户`,
    `以 root 身份运行：chown -R ${owner} ${folder}`,
  ],
  synchronised_by_name: (folder = "") => [`数据位于 ${folder}，它看起来是同步文件夹：同步程序会损坏数据库`, move],
  synchronised: (folder = "", sign = "") => [`数据位于 ${folder}，它是同步文件夹（${sign}）：同步程序会损坏数据库`, move],
  leftovers: (path = "", others = "") => [`中断的操作留下了 ${some(path, others)}`, "svc doctor --fix 会将其删除"],
  before_upgrade: (path = "", days = "", size = "") => [
    `${path} 是 ${days} 天前升级之前的备份，占用 ${size}`,
    "如果新版本工作正常，可将其删除",
  ],
  restore_interrupted: () => ["一次恢复在替换数据时中断", "启动服务器或运行其他命令即可完成恢复"],
  before_restore: (path = "") => [`${path} 是恢复之前的数据`, "如果恢复的数据无误，可将其删除"],
  memory_limit_low: (limit = "", needed = "") => [
    `内存限制为 ${limit}；对大量事件的查询最多需要 ${needed}`,
    "提高限制（MemoryMax、docker run --memory）",
  ],
  gomemlimit_high: (value = "", limit = "") => [
    `GOMEMLIMIT 为 ${value}，高于内存限制 ${limit}：服务器来不及节省内存就会被内核终止`,
    "删除 GOMEMLIMIT，或将其设为限制的 90 %",
  ],
  handles_few: (count = "") => [
    `一个进程只能打开 ${count} 个文件，而每个连接都需要一个`,
    "提高到 65536（LimitNOFILE=65536、docker run --ulimit nofile=65536、ulimit -n）",
  ],
  proxy_seen: (headers = "", peer = "", at = "", client = "", count = "") => [
    `最近一次：${at} 来自 ${peer} 的 ${headers}；视为调用方的地址：${client}`,
    `如果它是客户端的地址，无需处理；否则请将 SVC_TRUSTED_PROXY_COUNT（现为 ${count}）设为代理的数量`,
  ],
  proxy_container: (gateway = "") => [
    `请求来自容器网关 ${gateway}：能直接访问所发布端口的客户端可以伪造地址`,
    "只向代理发布端口（-p 127.0.0.1:4000:4000）；没有代理时设 SVC_TRUSTED_PROXY_COUNT=0",
  ],
  proxy_unknown_header: (headers = "", peer = "", at = "") => [
    `${ignored(headers, peer, at)}代理没有发送任何已知的请求头`,
    "让代理设置 X-Forwarded-For，或用 SVC_CLIENT_IP_HEADER 指定它的请求头",
  ],
  proxy_public: (headers = "", peer = "", at = "") => [
    `${ignored(headers, peer, at)}对端是公网地址，而只信任私有地址`,
    "如果没有代理使用该地址，无需处理：该请求头是伪造的；否则请通过私有网络连接代理",
  ],
  proxy_uncounted: (headers = "", peer = "", at = "") => [
    `${ignored(headers, peer, at)}SVC_TRUSTED_PROXY_COUNT 为 0`,
    "请将其设为代理的数量；在此之前，所有客户端在限流和日志中都使用代理的地址",
  ],
  proxy_distant: (headers = "", peer = "", at = "") => [
    `${ignored(headers, peer, at)}对端既不是私有地址，也不是本机地址`,
    "请通过回环地址或私有网络连接代理（10/8、172.16/12、192.168/16、fc00::/7）",
  ],
};

export const findings: Findings = {
  titleOf: ({ name, title }) => titles[name] ?? title,
  textOf(finding) {
    const text = texts[finding.code]?.(...finding.values);
    return text ? { what: text[0], repair: text[1] } : finding;
  },
};
