import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { Artifact } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { ContentView } from "./ContentView";
import { textContent } from "./content";
import { MediumView } from "./MediumView";
import { readArtifact } from "./readArtifact";

const READABLE_BYTES = 2_000_000;
const PDF_BYTES = 50_000_000;
const OPENED = ["plot", "table", "markdown"];

const Pdf = lazy(() => import("./Pdf"));

/** Shows images, sounds, tables and documents at once and other text on request. */
export function ArtifactView({ artifact, address }: { artifact: Artifact; address: string }) {
  const { kind, media_type, name, size } = artifact;
  if (kind === "image" || kind === "video" || kind === "audio")
    return (
      <MediumView
        content={{
          kind: "medium",
          medium: kind,
          source: { url: `${address}?inline=true` },
          mediaType: media_type,
        }}
        name={name}
      />
    );
  if (media_type === "application/pdf" && size <= PDF_BYTES)
    return (
      <Suspense fallback={<Loading />}>
        <Pdf address={address} name={name} />
      </Suspense>
    );
  if (kind === "archive" || kind === "file" || size > READABLE_BYTES || isBinaryTable(artifact)) return null;
  return (
    <Collapsible title="Show" isOpen={OPENED.includes(kind)}>
      <Contents artifact={artifact} address={address} />
    </Collapsible>
  );
}

function isBinaryTable({ name, media_type }: Artifact): boolean {
  return media_type.includes("parquet") || /\.(parquet|xlsx)$/i.test(name);
}

function Contents({ artifact, address }: { artifact: Artifact; address: string }) {
  const contents = useQuery({
    queryKey: ["contents", address, artifact.sha256],
    queryFn: async () => textContent(await (await readArtifact(address)).text(), typeOf(artifact)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (contents.isPending) return <Loading />;
  if (contents.isError) return <ErrorMessage error={contents.error} />;
  return <ContentView content={contents.data} name={artifact.name} />;
}

/** The media type, or the type that the kind stands for: a file may be named `notes.md` and be sent as text. */
function typeOf({ kind, name, media_type }: Artifact): string {
  if (kind === "table") return /\.tsv$/i.test(name) || media_type.includes("tab-") ? "text/tab-separated-values" : "text/csv"; // biome-ignore format: one line
  if (kind === "markdown") return "text/markdown";
  return kind === "json" || kind === "plot" ? "application/json" : media_type;
}
