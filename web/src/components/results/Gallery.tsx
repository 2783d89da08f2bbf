import { ActionIcon, Group, Modal, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import type { Source } from "./content";
import { useAddress } from "./JobIdContext";
import classes from "./Results.module.css";

const SHOWN = 60;

/** Thumbnails. A click opens the lightbox; arrow keys go on from there. */
export function Gallery({ images, name }: { images: Source[]; name: string }) {
  const [opened, setOpened] = useState<number | null>(null);
  const [limit, setLimit] = useState(SHOWN);
  return (
    <>
      <section className={classes.gallery} aria-label={`Images of ${name}`}>
        {images.slice(0, limit).map((source, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: images have no ids
          <button type="button" key={index} className={classes.thumbnail} onClick={() => setOpened(index)}>
            <Picture source={source} name={`${name} ${index + 1}`} />
          </button>
        ))}
      </section>
      {images.length > limit && (
        <button type="button" className="plain" onClick={() => setLimit(limit + SHOWN)}>
          <Text size="sm" mt="xs" td="underline">{`Show ${images.length - limit} more`}</Text>
        </button>
      )}
      {opened !== null && <Lightbox images={images} name={name} index={opened} go={setOpened} />}
    </>
  );
}

function Picture({ source, name, className }: { source: Source; name: string; className?: string }) {
  const address = useAddress(source);
  return address === null ? null : <img src={address} alt={name} className={className} loading="lazy" />;
}

interface Props {
  images: Source[];
  name: string;
  index: number;
  go: (index: number | null) => void;
}

function Lightbox({ images, name, index, go }: Props) {
  const step = (by: number) => go((index + by + images.length) % images.length);
  useHotkeys([
    ["ArrowLeft", () => step(-1)],
    ["ArrowRight", () => step(1)],
  ]);
  const source = images[index];
  return (
    <Modal opened onClose={() => go(null)} size="xl" centered title={`${index + 1} of ${images.length}`}>
      {source && <Picture source={source} name={`${name} ${index + 1}`} className={classes.large} />}
      <Group justify="center" mt="sm">
        <ActionIcon variant="default" size="lg" aria-label="Previous image" onClick={() => step(-1)}>
          <IconChevronLeft size={18} />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label="Next image" onClick={() => step(1)}>
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
    </Modal>
  );
}
