// Example code for this server and a project, as a command and for each client library.

import type { Example } from "./example";

/** A call in each language. The code may assume that a client already exists. */
export interface Calls {
  /** The request that curl sends. `path` is the part after `/api/v1`. */
  curl: { method?: "PUT" | "POST" | undefined; path: string; body: object };
  /** Whether the call needs an API key. The examples read it from the variable SVC_KEY. */
  key?: boolean | undefined;
  typescript: string;
  browser?: string | undefined;
  go: string;
  python: string;
  rust: string;
}

/**
 * Returns the same call as a command and for each client library. If an API key has just been
 * created, the code contains it instead of the variable SVC_KEY.
 */
export function examplesOf(project: string, calls: Calls, made: string | null = null, origin = location.origin): Example[] {
  const { curl, key = false, typescript, browser = typescript, go, python, rust } = calls;
  const base = `${origin}/api/v1`;
  const options = `baseUrl: "${base}", projectKey: "${project}"`;
  const method = curl.method === "PUT" ? "-X PUT " : "";
  const header = key ? `\n  -H "X-API-Key: ${made ?? "$SVC_KEY"}" \\` : "";
  const variable = (name: string) => (made === null ? name : JSON.stringify(made));
  return [
    {
      name: "curl",
      code: `curl -fsS ${method}"${base}${curl.path}" \\${header}\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(curl.body).replaceAll("'", "'\\''")}'`,
    },
    ...(key
      ? []
      : [
          {
            name: "Browser",
            code: `<script src="${origin}/sdk/svc-sdk.global.js"></script>\n<script>\n  const client = new SvcClient({ ${options} });\n  ${browser.replaceAll("\n", "\n  ")}\n</script>`,
          },
        ]),
    {
      name: "TypeScript",
      code: `import { SvcClient } from "svc-sdk";\n\nconst client = new SvcClient({ ${options}${key ? `, token: ${variable("process.env.SVC_KEY")}` : ""} });\n${typescript}`,
    },
    {
      name: "Go",
      code: `client, err := svcsdk.New("${base}", svcsdk.WithProject("${project}")${key ? `, svcsdk.WithToken(${variable('os.Getenv("SVC_KEY")')})` : ""})\nif err != nil {\n\treturn err\n}\n${go}`,
    },
    {
      name: "Python",
      code: `${key && made === null ? "import os\n" : ""}from svc_sdk import SvcClient\n\nclient = SvcClient("${base}", "${project}"${key ? `, token=${variable('os.environ["SVC_KEY"]')}` : ""})\n${python}`,
    },
    {
      name: "Rust",
      code: `let client = SvcClient::builder("${base}")\n    .project_key("${project}")\n${key ? `    .token(${variable('std::env::var("SVC_KEY").unwrap_or_default()')})\n` : ""}    .build()?;\n${rust}`,
    },
  ];
}
