import { useMemo } from "react";
import { harmless } from "./harmlessHtml";
import classes from "./Results.module.css";

/** HTML of a job in a frame of its own, without script, forms, or access to the page. */
export function HtmlFrame({ text, name }: { text: string; name: string }) {
  const document = useMemo(() => harmless(text), [text]);
  return (
    <iframe
      title={name}
      sandbox=""
      srcDoc={document}
      className={classes.frame}
      referrerPolicy="no-referrer"
    />
  );
}
