import { useCallback, useState } from "react";
import { MAX_SELECTED } from "@/components/bulk";

export interface Selection {
  ids: string[];
  toggle: (id: string) => void;
  select: (ids: string[]) => void;
  clear: () => void;
}

/** The selected jobs of a list, in the order in which they were selected. Of too many, the first leave. */
export function useSelection(list: string): Selection {
  const [ids, setIds] = useState<string[]>([]);
  const [selectedIn, setSelectedIn] = useState(list);
  if (list !== selectedIn) {
    setSelectedIn(list);
    setIds([]);
  }
  const toggle = useCallback((id: string) => setIds((now) => toggled(now, id)), []);
  const select = useCallback((all: string[]) => setIds(all.slice(0, MAX_SELECTED)), []);
  const clear = useCallback(() => setIds([]), []);
  return { ids, toggle, select, clear };
}

function toggled(ids: string[], id: string): string[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id].slice(-MAX_SELECTED);
}
