import { NavLink } from "@mantine/core";
import { IconAtom2, IconDatabase, IconHistory, IconLayoutGrid, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRoute } from "wouter";
import { queries } from "@/api/queries";
import { hasAtoms } from "./atoms";

const VIEW = { to: "/view", label: "View", Icon: IconAtom2 };
const TOOLS = { to: "/", label: "Tools", Icon: IconLayoutGrid };
const LINKS = [
  { to: "/history", label: "History", Icon: IconHistory },
  { to: "/data", label: "Data", Icon: IconDatabase },
  { to: "/fleet", label: "Workers", Icon: IconServer2 },
];

export function RoomLinks({ room }: { room: string }) {
  const { data } = useQuery(queries.frames(room));
  // The address of a room with atoms leads to its view.
  const own = hasAtoms(data) ? [VIEW, { ...TOOLS, to: "/tools" }] : [TOOLS];
  return [...own, ...LINKS].map((link) => <RoomLink key={link.label} {...link} />);
}

function RoomLink({ to, label, Icon }: typeof TOOLS) {
  const [isThere] = useRoute(to);
  const [isHome] = useRoute("/");
  const isHere = isThere || (isHome && label === TOOLS.label);
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
