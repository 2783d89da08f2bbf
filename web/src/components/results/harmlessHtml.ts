const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:";
const REMOVED = "script, link, base, meta, iframe, object, embed, form";
const LOADING = "[src], [srcset], [poster], [background], [data]";

/** Without what the sandbox would refuse to run or to load, so that the browser has nothing to complain of. */
export function harmless(text: string): string {
  const quiet = text.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/([\s/"'])on[a-z]+\s*=/gi, "$1data-was="),
  );
  const parsed = new DOMParser().parseFromString(quiet, "text/html");
  for (const node of parsed.querySelectorAll(REMOVED)) node.remove();
  for (const node of parsed.querySelectorAll(LOADING))
    for (const name of ["src", "srcset", "poster", "background", "data"])
      if (!/^data:/i.test(node.getAttribute(name) ?? "data:")) node.removeAttribute(name);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  return `<!doctype html><html><head>${policy}${parsed.head.innerHTML}</head>${parsed.body.outerHTML}</html>`;
}
