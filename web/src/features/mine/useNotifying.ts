import { useLocalStorage } from "@mantine/hooks";

const KEY = "notify-when-done";

/** Whether the browser shows a notification when a job of mine ends; `reason` says why it cannot. */
export function useNotifying() {
  const [isWanted, setWanted] = useLocalStorage({ key: KEY, defaultValue: false });
  const isOn = isWanted && permission() === "granted";
  const toggle = async () => {
    if (isOn) return setWanted(false);
    setWanted((await Notification.requestPermission()) === "granted");
  };
  return { isOn, toggle, reason: reasonAgainst() };
}

/** Browsers have notifications only on https and on this machine's own address. */
function permission(): NotificationPermission | null {
  return "Notification" in window ? Notification.permission : null;
}

function reasonAgainst(): string | null {
  if (permission() === null) return "This browser shows notifications only over HTTPS.";
  return permission() === "denied" ? "Notifications are blocked in the settings of this browser." : null;
}

/** Read at the time of use: another tab may have switched it off. */
export function isNotifying(): boolean {
  return localStorage.getItem(KEY) === "true" && permission() === "granted";
}
