import { Image } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { problemOf } from "@/api/problem";
import type { Artifact } from "@/api/schema";
import { Folded } from "@/components/Folded";
import { Loading } from "@/components/Loading";
import { Trouble } from "@/components/Trouble";
import { Shown } from "./Shown";
import { thingOf } from "./thing";

const READABLE_BYTES = 2_000_000;

/** Pictures at once, texts when asked for; what a browser cannot show can still be downloaded. */
export function ArtifactView({ artifact, address }: { artifact: Artifact; address: string }) {
  const inline = `${address}?inline=true`;
  switch (artifact.kind) {
    case "image":
      return (
        <Image src={inline} alt={artifact.name} w="auto" maw="100%" mah={480} fit="contain" radius="md" />
      );
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: a job brings none
      return <video src={inline} controls style={{ maxWidth: "100%" }} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: a job brings none
      return <audio src={inline} controls />;
    case "archive":
    case "file":
      return null;
    default:
      return artifact.size > READABLE_BYTES || artifact.media_type.includes("parquet") ? null : (
        <Folded title="Show" isOpen={artifact.kind === "plot"}>
          <Contents address={address} sha256={artifact.sha256} name={artifact.name} />
        </Folded>
      );
  }
}

function Contents({ address, sha256, name }: { address: string; sha256: string; name: string }) {
  const contents = useQuery({
    queryKey: ["contents", address, sha256],
    queryFn: async () => {
      const response = await fetch(address);
      if (!response.ok) throw await problemOf(response);
      return thingOf(response);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (contents.isPending) return <Loading />;
  if (contents.isError) return <Trouble error={contents.error} />;
  return <Shown thing={contents.data} name={name} />;
}
