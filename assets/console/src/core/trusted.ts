// Components set the text of their style elements as markup, which the Content-Security-Policy refuses for plain
// texts. This policy passes texts without "<", which make no element, and refuses all others. Markup rendered by the
// server has a policy of its own, see html.ts.

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
