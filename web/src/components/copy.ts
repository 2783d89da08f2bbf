/** Plain HTTP has no clipboard API, so a selection is copied instead. Returns whether it worked. */
export async function copyText(text: string, shown?: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const node = shown ?? hidden(text);
    window.getSelection()?.selectAllChildren(node);
    const isCopied = document.execCommand("copy");
    if (node !== shown) node.remove();
    return isCopied;
  }
}

function hidden(text: string): HTMLElement {
  const node = document.createElement("pre");
  node.textContent = text;
  node.style.cssText = "position: fixed; left: -9999px; white-space: pre";
  document.body.append(node);
  return node;
}
