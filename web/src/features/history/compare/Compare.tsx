import { Modal, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { pluralize } from "@/components/format";
import { Comparison } from "./Comparison";

const WIDTH = 960;
const WIDTH_OF_MANY = "min(1400px, 95vw)";
const NUMBERS = "two three four five six seven eight nine ten eleven twelve".split(" ");

/** Compares several jobs. */
export default function Compare({ ids, close }: { ids: string[]; close: () => void }) {
  const isPhone = useMediaQuery("(max-width: 48em)");
  return (
    <Modal
      opened
      onClose={close}
      title={`Compare ${NUMBERS[ids.length - 2] ?? ids.length} jobs`}
      size={ids.length > 2 ? WIDTH_OF_MANY : WIDTH}
      fullScreen={isPhone}
    >
      <Jobs ids={ids} />
    </Modal>
  );
}

/** Jobs that cannot be read are left out. */
function Jobs({ ids }: { ids: string[] }) {
  const found = useQueries({ queries: ids.map(queries.job) });
  if (found.some(({ isPending }) => isPending)) return <Skeleton h={320} />;
  const jobs = found.flatMap(({ data }) => (data ? [data] : []));
  const lost = found.length - jobs.length;
  return (
    <>
      {lost > 0 && (
        <Text size="sm" c="red" role="alert" mb="xs">
          {`${pluralize(lost, "job")} cannot be read: ${found.find(({ error }) => error)?.error?.message}`}
        </Text>
      )}
      {jobs.length > 0 && <Comparison jobs={jobs} />}
    </>
  );
}
