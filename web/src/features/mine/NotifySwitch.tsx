import { Switch } from "@mantine/core";
import { useNotifying } from "./useNotifying";

/** The browser asks for permission only after this click. */
export function NotifySwitch() {
  const { isOn, toggle, reason } = useNotifying();
  return (
    <Switch
      size="sm"
      label="Notify me when a job ends"
      description={reason}
      checked={isOn}
      disabled={reason !== null}
      onChange={() => void toggle()}
    />
  );
}
