import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import classes from "./PersonName.module.css";
import { RoleBadge } from "./RoleBadge";

/** A person's display name, or the id until it is loaded or if the person is unknown. */
export function useName(id: string): string {
  const { data } = useQuery(queries.person(id));
  return data?.display_name ?? id;
}

/** A display name exactly as typed, with a badge for the role. */
export function PersonName({ id }: { id: string }) {
  const { data } = useQuery(queries.person(id));
  return (
    <span className={classes.person} title={id}>
      <bdi className={classes.name}>{data?.display_name ?? id}</bdi>
      <RoleBadge role={data?.role} />
    </span>
  );
}
