/** The title of the browser's tab: that of the page, behind what the jobs of its user do. */
import { useEffect } from "react";

let page = "Workroom";
let status = "";

export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title;
    show();
  }, [title]);
}

export function setTabStatus(text: string): void {
  status = text;
  show();
}

function show(): void {
  document.title = status ? `${status} · ${page}` : page;
}
