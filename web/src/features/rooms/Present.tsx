import {
  Avatar,
  ColorSwatch,
  Group,
  Popover,
  Stack,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { PersonName, useName } from "@/components/PersonName";
import { usePersonColours } from "@/components/usePersonColours";

const SHOWN = 4;

/** Who has the room open, as initials in the colours of their selections, on a phone as a number; a click lists the names. */
export default function Present({ room }: { room: string }) {
  const { data: people = [] } = useQuery(queries.presence(room));
  const colourOf = usePersonColours(room);
  if (people.length === 0) return null;
  const count = people.length === 1 ? "1 person is here" : `${people.length} people are here`;
  return (
    <Popover position="bottom-end" withArrow>
      <Popover.Target>
        <UnstyledButton title={count}>
          <VisuallyHidden>{count}</VisuallyHidden>
          <Avatar size={28} hiddenFrom="sm" aria-hidden>
            {people.length}
          </Avatar>
          <Avatar.Group spacing="xs" visibleFrom="sm" aria-hidden>
            {people.slice(0, SHOWN).map(({ user }) => (
              <Initials key={user} user={user} colour={colourOf(user)} />
            ))}
            {people.length > SHOWN && <Avatar size={28}>+{people.length - SHOWN}</Avatar>}
          </Avatar.Group>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={6} mah={320} className="scrolling">
          <Text size="sm" c="dimmed">
            {count}
          </Text>
          {people.map(({ user }) => (
            <Group key={user} gap={8} wrap="nowrap">
              <ColorSwatch size={12} color={colourOf(user)} withShadow={false} aria-hidden />
              <PersonName id={user} />
            </Group>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Initials({ user, colour }: { user: string; colour: string }) {
  const styles = { placeholder: { color: "white", backgroundColor: colour } };
  return <Avatar size={28} name={useName(user)} styles={styles} />;
}
