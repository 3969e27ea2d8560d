// A Trusted Types policy for style elements. Components set the text of their style elements as
// markup, which the Content-Security-Policy refuses for plain strings. A string without "<" cannot
// create elements, so the policy accepts such strings, and only these. HTML rendered by the server
// has another policy; see html.ts.

interface Factory {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

(globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("default", {
  createHTML(text) {
    if (text.includes("<")) {
      throw new TypeError("markup is not trusted here");
    }
    return text;
  },
});
