import { notifications } from "@mantine/notifications";

/** For the outcome of a user's own action. */
export function notify(message: string): void {
  notifications.show({ message });
}

export function notifyError(error: Error): void {
  notifications.show({ color: "red", message: error.message });
}
