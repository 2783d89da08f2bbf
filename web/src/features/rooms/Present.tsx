import { Avatar, Popover, Stack, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { PersonName, useName } from "@/components/PersonName";

const SHOWN = 4;

/** Who has the room open, as initials; a click lists the names. */
export default function Present({ room }: { room: string }) {
  const { data: people = [] } = useQuery(queries.presence(room));
  if (people.length === 0) return null;
  const count = people.length === 1 ? "1 person is here" : `${people.length} people are here`;
  return (
    <Popover position="bottom-end" withArrow>
      <Popover.Target>
        <UnstyledButton title={count} visibleFrom="sm">
          <VisuallyHidden>{count}</VisuallyHidden>
          <Avatar.Group spacing="xs" aria-hidden>
            {people.slice(0, SHOWN).map(({ user }) => (
              <Initials key={user} user={user} />
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
            <PersonName key={user} id={user} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Initials({ user }: { user: string }) {
  return <Avatar size={28} name={useName(user)} color="initials" />;
}
