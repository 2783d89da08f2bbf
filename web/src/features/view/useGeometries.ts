import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { documentQuery } from "@/api/documents";
import { queries } from "@/api/queries";
import { toAllShapes } from "./data/shapes";
import type { Stage } from "./stage";

const PREFIX = "geometries.";
const MAX_DOCUMENTS = 200;

/** Draws the geometries of the room. Returns a sentence for each that is not drawn. */
export function useGeometries(room: string, stage: Stage | null, isVisible: boolean): readonly string[] {
  const { data = [] } = useQuery(queries.documents(room));
  const keys = data.map(({ key }) => key).filter((key) => key.startsWith(PREFIX));
  const read = isVisible ? keys.slice(0, MAX_DOCUMENTS) : [];
  const documents = useQueries({
    queries: read.map((key) => documentQuery(room, key)),
    combine: (results) =>
      results.map(({ data }, at) => [read[at]?.slice(PREFIX.length) ?? "", data?.value] as const),
  });
  const { shapes, problems } = useMemo(
    () => toAllShapes(documents.filter(([, value]) => value !== undefined && value !== null)),
    [documents],
  );
  useEffect(() => stage?.view.setShapes(shapes), [stage, shapes]);
  const left = isVisible ? keys.length - read.length : 0;
  return left > 0 ? [...problems, `${left} more geometries are not drawn.`] : problems;
}
