/* Draws the diagrams of a page in the colours of its theme, again when the theme changes. */
const diagrams = [...document.querySelectorAll("pre.mermaid")].map((element) => ({
  element,
  source: element.textContent,
}));

function isDark() {
  const theme = document.body.dataset.theme;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function draw() {
  mermaid.initialize({ startOnLoad: false, theme: isDark() ? "dark" : "neutral", securityLevel: "strict" });
  for (const { element, source } of diagrams) {
    element.removeAttribute("data-processed");
    element.textContent = source;
  }
  return mermaid.run({ nodes: diagrams.map(({ element }) => element) });
}

let drawn = draw();
const again = () => {
  drawn = drawn.then(draw);
};
new MutationObserver(again).observe(document.body, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
