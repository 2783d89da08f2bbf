import { Table, UnstyledButton } from "@mantine/core";

interface Props {
  label: string;
  isSorted: boolean;
  isNumber: boolean;
  sort: () => void;
}

/** The head of a column by which a table can be sorted: names upwards, numbers downwards. */
export function SortHeader({ label, isSorted, isNumber, sort }: Props) {
  return (
    <Table.Th
      ta={isNumber ? "right" : undefined}
      aria-sort={isSorted ? (isNumber ? "descending" : "ascending") : "none"}
    >
      <UnstyledButton fz="inherit" fw="inherit" onClick={sort} aria-label={`Sort by ${label}`}>
        {label}
        {isSorted && (isNumber ? " ↓" : " ↑")}
      </UnstyledButton>
    </Table.Th>
  );
}
