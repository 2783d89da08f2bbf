import { Anchor, Group, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { lazy } from "react";
import type { Content } from "./content";
import { useAddress } from "./JobIdContext";
import { Picture } from "./Picture";

const Pdf = lazy(() => import("./Pdf"));

/** An image, a video, a sound or a document. */
export function MediumView({
  content,
  name,
}: {
  content: Extract<Content, { kind: "medium" }>;
  name: string;
}) {
  const address = useAddress(content.source);
  if (address === null) return <Text size="sm">{name}</Text>;
  switch (content.medium) {
    case "image":
      return <Picture address={address} mediaType={content.mediaType} name={name} />;
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: job output has no captions
      return <video src={address} controls aria-label={name} style={{ maxWidth: "100%", maxHeight: 480 }} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: job output has no captions
      return <audio src={address} controls aria-label={name} style={{ maxWidth: "100%" }} />;
    case "pdf":
      return <Pdf address={address} name={name} />;
    case "file":
      return <Bytes address={address} name={name} mediaType={content.mediaType} />;
  }
}

function Bytes({ address, name, mediaType }: { address: string; name: string; mediaType: string }) {
  return (
    <Group gap="xs">
      <Anchor href={address} download={`${name}.bin`} size="sm">
        <IconDownload size={14} style={{ verticalAlign: -2 }} /> Download the bytes
      </Anchor>
      <Text size="xs" c="dimmed">
        {mediaType}
      </Text>
    </Group>
  );
}
