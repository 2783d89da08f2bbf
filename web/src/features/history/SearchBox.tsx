import { ActionIcon, CloseButton, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconHelp, IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { SearchHelp } from "./SearchHelp";

const PAUSE_MS = 400;
const MAX_QUERY = 500;

interface Props {
  query: string;
  error?: string;
  search: (query: string) => void;
}

/** One box for all words of a search. The address has the query, so that it can be sent to somebody. */
export function SearchBox({ query, error, search }: Props) {
  const [text, setText] = useState(query);
  const [isHelpOpen, help] = useDisclosure();
  const later = useDebouncedCallback(search, { delay: PAUSE_MS, flushOnUnmount: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only an address that changed by itself replaces the text
  useEffect(() => {
    if (query !== text.trim()) setText(query);
  }, [query]);
  const type = (typed: string) => {
    setText(typed);
    later(typed.trim());
  };
  return (
    <Group gap={4} align="flex-start" wrap="nowrap" role="search" aria-label="Search the history">
      <TextInput
        aria-label="Search jobs"
        placeholder="user:ada since:7d starred window>5 relax"
        leftSection={<IconSearch size={16} />}
        rightSection={
          text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => type("")} />
        }
        maxLength={MAX_QUERY}
        value={text}
        error={error}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && search(text.trim())}
        spellCheck={false}
        autoCapitalize="none"
        style={{ flex: 1 }}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label="What the search understands"
        title="What the search understands"
        onClick={help.open}
      >
        <IconHelp size={20} />
      </ActionIcon>
      <SearchHelp isOpen={isHelpOpen} close={help.close} />
    </Group>
  );
}
