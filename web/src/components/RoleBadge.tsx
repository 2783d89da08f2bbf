import { Badge } from "@mantine/core";
import type { Role } from "@/api/schema";

const BADGES: Partial<Record<Role, { label: string; color: string }>> = {
  admin: { label: "admin", color: "violet" },
  guest: { label: "guest", color: "gray" },
  worker: { label: "machine", color: "teal" },
  runner: { label: "machine", color: "teal" },
};

/** Marks admins, guests and machines: a display name proves nothing. Users with a password have no badge. */
export function RoleBadge({ role }: { role: Role | null | undefined }) {
  const badge = role && BADGES[role];
  if (!badge) return null;
  return (
    <Badge component="span" size="xs" variant="light" color={badge.color} style={{ flexShrink: 0 }}>
      {badge.label}
    </Badge>
  );
}
