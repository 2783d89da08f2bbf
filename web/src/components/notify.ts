import { notifications } from "@mantine/notifications";

const CLOSE = { "aria-label": "Close" };

/** For the outcome of a user's own action. */
export function notify(message: string): void {
  notifications.show({ message, closeButtonProps: CLOSE });
}

export function notifyError(error: Error): void {
  notifications.show({ color: "red", message: error.message, closeButtonProps: CLOSE });
}
