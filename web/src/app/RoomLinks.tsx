import { NavLink } from "@mantine/core";
import { IconDatabase, IconHistory, IconLayoutGrid, IconServer2 } from "@tabler/icons-react";
import { Link, useRoute } from "wouter";

const LINKS = [
  { to: "/", label: "Tools", Icon: IconLayoutGrid },
  { to: "/history", label: "History", Icon: IconHistory },
  { to: "/data", label: "Data", Icon: IconDatabase },
  { to: "/fleet", label: "Workers", Icon: IconServer2 },
];

export function RoomLinks() {
  return LINKS.map((link) => <RoomLink key={link.to} {...link} />);
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
