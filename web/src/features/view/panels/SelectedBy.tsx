import { ColorSwatch, Group, Text } from "@mantine/core";
import { useName } from "@/components/PersonName";
import type { Share } from "../selectors";
import { atomsInWords } from "../stage";

interface Props {
  shares: readonly Share[];
  colourOf: (user: string) => string;
}

/** Who selected how many atoms, with the colour in which they are drawn. */
export function SelectedBy({ shares, colourOf }: Props) {
  if (shares.length === 0) return null;
  return (
    <Group gap="md" role="list" aria-label="Selected by">
      {shares.map((share) => (
        <Selector key={share.user} share={share} colour={colourOf(share.user)} />
      ))}
    </Group>
  );
}

function Selector({ share, colour }: { share: Share; colour: string }) {
  const name = useName(share.user);
  return (
    <Group gap={6} wrap="nowrap" role="listitem" miw={0}>
      <ColorSwatch size={12} color={colour} withShadow={false} aria-hidden />
      <Text size="sm" truncate>
        <bdi>{name}</bdi>: {atomsInWords(share.atoms.length)}
      </Text>
    </Group>
  );
}
