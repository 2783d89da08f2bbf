import { Group as Row, Select, Table, Text, Title } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { Job } from "@/api/schema";
import { sourceOf } from "@/components/results/JobIdContext";
import { axesOf, inWords } from "./columns";
import classes from "./Groups.module.css";
import { sheetOf, type Thumbnail, thumbnailsOf } from "./sheet";

const MAX_IMAGES = 400;
const NONE = "(one row)";

/** The images that came of the jobs, with the parameters along the edges. An image leads to its job. */
export function Sheet({ jobs, parameters }: { jobs: Job[]; parameters: string[] }) {
  const [wanted, want] = useState<{ x?: string; y?: string }>({});
  const thumbnails = useMemo(() => thumbnailsOf(jobs).slice(0, MAX_IMAGES), [jobs]);
  const axes = useMemo(
    () =>
      axesOf(
        parameters,
        thumbnails.map(({ job }) => job),
      ),
    [parameters, thumbnails],
  );
  const x = axes.find((name) => name === wanted.x) ?? axes.at(-1);
  const down = axes.filter((name) => name !== x);
  const y = wanted.y === NONE ? undefined : (down.find((name) => name === wanted.y) ?? down[0]);
  const sheet = useMemo(() => (x === undefined ? null : sheetOf(thumbnails, x, y)), [thumbnails, x, y]);
  if (!sheet || x === undefined) return null;
  const others = axes.filter((name) => name !== x && name !== y);
  return (
    <section aria-label="Images">
      <Title order={2} size="h5" mb={4}>
        Images
      </Title>
      {axes.length > 1 && (
        <Row gap="xs" mb="xs">
          <Select
            label="Across"
            data={axes}
            value={x}
            allowDeselect={false}
            onChange={(name) => want({ ...wanted, x: name ?? undefined })}
          />
          <Select
            label="Down"
            data={[...down, NONE]}
            value={y ?? NONE}
            allowDeselect={false}
            onChange={(name) => want({ ...wanted, y: name ?? undefined })}
          />
        </Row>
      )}
      <Table.ScrollContainer minWidth={0} tabIndex={0}>
        <table
          className={classes.sheet}
          aria-label={y === undefined ? `Images over ${x}` : `Images over ${x} and ${y}`}
        >
          <thead>
            <tr>
              {y !== undefined && <td />}
              {sheet.columns.map((value) => (
                <th key={value} scope="col" title={`${x} ${value}`}>
                  {x} {value}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sheet.rows.map(({ label, cells }) => (
              <tr key={label}>
                {y !== undefined && (
                  <th scope="row" title={`${y} ${label}`}>
                    {y} {label}
                  </th>
                )}
                {cells.map((images, column) => (
                  <td key={sheet.columns[column]}>
                    {images.map((each) => (
                      <Picture key={each.job.id} thumbnail={each} parameters={axes} others={others} />
                    ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Table.ScrollContainer>
    </section>
  );
}

interface PictureProps {
  thumbnail: Thumbnail;
  parameters: string[];
  others: string[];
}

function Picture({ thumbnail: { job, image }, parameters, others }: PictureProps) {
  return (
    <Link href={`/jobs/${job.id}`} className={classes.thumbnail} title={inWords(job.data, parameters)}>
      <img
        src={sourceOf(image, job.id)}
        alt={inWords(job.data, parameters)}
        loading="lazy"
        decoding="async"
      />
      {others.length > 0 && (
        <Text size="xs" c="dimmed" truncate ta="center">
          {inWords(job.data, others)}
        </Text>
      )}
    </Link>
  );
}
