import { Image } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { problemOf } from "@/api/problem";
import type { Artifact } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { ContentView } from "./ContentView";
import { readContent } from "./content";

const READABLE_BYTES = 2_000_000;

/** Shows images at once and text on request. Other files can only be downloaded. */
export function ArtifactView({ artifact, address }: { artifact: Artifact; address: string }) {
  const inline = `${address}?inline=true`;
  switch (artifact.kind) {
    case "image":
      return (
        <Image src={inline} alt={artifact.name} w="auto" maw="100%" mah={480} fit="contain" radius="md" />
      );
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: job output has no captions
      return <video src={inline} controls style={{ maxWidth: "100%" }} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: job output has no captions
      return <audio src={inline} controls />;
    case "archive":
    case "file":
      return null;
    default:
      return artifact.size > READABLE_BYTES || artifact.media_type.includes("parquet") ? null : (
        <Collapsible title="Show" isOpen={artifact.kind === "plot"}>
          <Contents address={address} sha256={artifact.sha256} name={artifact.name} />
        </Collapsible>
      );
  }
}

function Contents({ address, sha256, name }: { address: string; sha256: string; name: string }) {
  const contents = useQuery({
    queryKey: ["contents", address, sha256],
    queryFn: async () => {
      const response = await fetch(address);
      if (!response.ok) throw await problemOf(response);
      return readContent(response);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (contents.isPending) return <Loading />;
  if (contents.isError) return <ErrorMessage error={contents.error} />;
  return <ContentView content={contents.data} name={name} />;
}
