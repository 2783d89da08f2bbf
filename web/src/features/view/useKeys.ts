import { useEffect, useRef } from "react";

const TYPING = "input:not([type=range]), textarea, select, [contenteditable=true]";
/** Where arrows, Home and End have a meaning, and where Space has one. */
const MOVING = "[type=range], [role=slider], [role=tab], [role=menuitem], [role=option], [role=radio]";
const PRESSING = `button, a, ${MOVING}`;

/** Keys of the whole page, by names such as `mod+shift+z` or ` `. A field or a focused button has its own. */
export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (target.closest(TYPING)) return;
      const hasMod = event.ctrlKey || event.metaKey;
      if (!hasMod && target.closest(event.key === " " ? PRESSING : MOVING)) return;
      const name = `${hasMod ? "mod+" : ""}${event.shiftKey ? "shift+" : ""}${event.key.toLowerCase()}`;
      const act = latest.current[name];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
