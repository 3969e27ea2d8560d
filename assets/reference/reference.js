// What the API reference does beyond reading: it narrows the list of operations while
// somebody types, and sends requests. What comes back is shown as text.
"use strict";

const search = document.querySelector("#q");
const entries = [...document.querySelectorAll(".contents li")];
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) {
    const link = entry.firstElementChild;
    const text = (link.textContent + link.pathname).toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll(".contents section")) {
    section.hidden = words.length > 0 && !section.querySelector("li:not([hidden])");
  }
});
document.querySelector(".contents [aria-current]")?.scrollIntoView({ block: "nearest" });

const remembered = "svc-reference-credential";
const section = document.querySelector(".try");
if (section) {
  const form = section.querySelector("form");
  const [line, block] = section.querySelector("[role=status]").children;
  const credential = form.elements.namedItem("credential");
  section.hidden = false;
  if (credential) credential.value = recall();

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    line.className = "";
    line.textContent = form.dataset.wait;
    block.hidden = true;
    try {
      const { url, init } = request();
      const begin = performance.now();
      const answer = await fetch(url, init);
      const text = await answer.text();
      line.textContent = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - begin)} ms · ${new Blob([text]).size} B`;
      line.className = answer.ok ? "" : "bad";
      block.firstElementChild.textContent = pretty(text);
      block.hidden = text === "";
    } catch (error) {
      line.className = "bad";
      line.textContent = `${form.dataset.failed} ${error.message}`;
    }
    button.disabled = false;
    button.focus();
  });

  function request() {
    const headers = new Headers();
    const query = new URLSearchParams();
    let path = form.dataset.path;
    const init = { method: form.dataset.method, headers, credentials: "omit", cache: "no-store" };
    for (const field of form.elements) {
      const { name, value } = field;
      switch (field.dataset.in) {
        case "path":
          path = path.replace(`{${name}}`, encodeURIComponent(value));
          break;
        case "query":
          if (value !== "") query.set(name, value);
          break;
        case "header":
          if (value !== "") headers.set(name, value);
          break;
      }
      if (name === "body" && value.trim() !== "") {
        headers.set("Content-Type", field.dataset.type);
        init.body = value;
      }
      if (name === "file" && field.files.length > 0) {
        headers.set("Content-Type", field.dataset.type);
        init.body = field.files[0];
      }
    }
    if (credential) {
      keep(credential.value);
      if (credential.value !== "") headers.set("Authorization", `Bearer ${credential.value}`);
    }
    const search = query.toString();
    return { url: search ? `${path}?${search}` : path, init };
  }
}

function pretty(text) {
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is no JSON.
  }
  return text.length > 200000 ? `${text.slice(0, 200000)}…` : text;
}

// The credential stays in this tab, and goes with it.
function recall() {
  try {
    return sessionStorage.getItem(remembered) ?? "";
  } catch {
    return "";
  }
}

function keep(value) {
  try {
    sessionStorage.setItem(remembered, value);
  } catch {
    // Storage may be forbidden.
  }
}
