import { NavLink } from "@mantine/core";
import { IconPuzzle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRoute } from "wouter";
import { queries } from "@/api/queries";

/** Links to the views that packs add to each room. */
export function PackLinks() {
  const { data: packs = [] } = useQuery(queries.packs());
  return packs.flatMap((pack) =>
    pack.views.map((view) => (
      <PackLink key={`${pack.name}/${view.name}`} to={`/view/${pack.name}/${view.name}`} label={view.title} />
    )),
  );
}

function PackLink({ to, label }: { to: string; label: string }) {
  const [isHere] = useRoute(to);
  return (
    <NavLink
      component={Link}
      href={to}
      label={label}
      active={isHere}
      leftSection={<IconPuzzle size={18} stroke={1.6} />}
      aria-current={isHere ? "page" : undefined}
    />
  );
}
