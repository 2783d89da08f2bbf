import { NavLink } from "@mantine/core";
import {
  IconChartLine,
  IconClipboardList,
  IconDoor,
  IconListCheck,
  IconServer2,
  IconSettings,
  IconUsers,
} from "@tabler/icons-react";
import { Link, Route, Switch, useRoute } from "wouter";
import type { Myself } from "@/api/schema";
import { NotFound } from "@/components/NotFound";
import { AllJobs } from "@/features/admin/AllJobs";
import { AllRooms } from "@/features/admin/AllRooms";
import { Audit } from "@/features/admin/Audit";
import { Overview } from "@/features/admin/Overview";
import { SettingList } from "@/features/admin/SettingList";
import { Users } from "@/features/admin/Users";
import Fleet from "@/features/fleet/Fleet";
import { Layout } from "./Layout";

const LINKS = [
  { to: "/", label: "Overview", Icon: IconChartLine },
  { to: "/jobs", label: "Jobs", Icon: IconListCheck },
  { to: "/rooms", label: "Rooms", Icon: IconDoor },
  { to: "/users", label: "Users", Icon: IconUsers },
  { to: "/workers", label: "Workers", Icon: IconServer2 },
  { to: "/audit", label: "Audit", Icon: IconClipboardList },
  { to: "/settings", label: "Settings", Icon: IconSettings },
];

/** The pages about the whole server; paths are relative to /admin. */
export default function AdminPages({ me }: { me: Myself }) {
  return (
    <Layout me={me} side={LINKS.map((link) => <AdminLink key={link.to} {...link} />)}>
      <Switch>
        <Route path="/">
          <Overview />
        </Route>
        <Route path="/jobs">
          <AllJobs />
        </Route>
        <Route path="/rooms">
          <AllRooms />
        </Route>
        <Route path="/users">
          <Users me={me.user} />
        </Route>
        <Route path="/workers">
          <Fleet room={null} />
        </Route>
        <Route path="/audit">
          <Audit />
        </Route>
        <Route path="/settings">
          <SettingList />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Layout>
  );
}

function AdminLink({ to, label, Icon }: (typeof LINKS)[number]) {
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
