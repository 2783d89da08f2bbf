import { NavLink } from "@mantine/core";
import { IconAtom2, IconDatabase, IconHistory, IconLayoutGrid, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRoute } from "wouter";
import { queries } from "@/api/queries";
import type { FramesSummary } from "@/api/schema";

const VIEW = { to: "/view", label: "View", Icon: IconAtom2 };
const LINKS = [
  { to: "/", label: "Tools", Icon: IconLayoutGrid },
  { to: "/history", label: "History", Icon: IconHistory },
  { to: "/data", label: "Data", Icon: IconDatabase },
  { to: "/fleet", label: "Workers", Icon: IconServer2 },
];

export function RoomLinks({ room }: { room: string }) {
  const { data } = useQuery(queries.frames(room));
  const links = data && hasAtoms(data) ? [VIEW, ...LINKS] : LINKS;
  return links.map((link) => <RoomLink key={link.to} {...link} />);
}

function hasAtoms({ keys }: FramesSummary): boolean {
  return ["positions", "numbers"].every((wanted) => keys.some(({ key }) => key === wanted));
}

function RoomLink({ to, label, Icon }: (typeof LINKS)[number]) {
  const [isHere] = useRoute(to);
  return (
    <NavLink
      component={Link}
      href={to}
      label={label}
      active={isHere}
      leftSection={<Icon size={18} stroke={1.6} />}
      aria-current={isHere ? "page" : undefined}
    />
  );
}
