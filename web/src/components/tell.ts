import { notifications } from "@mantine/notifications";

/** Only about what the user has just done. */
export function tell(message: string): void {
  notifications.show({ message });
}

export function tellProblem(error: Error): void {
  notifications.show({ color: "red", message: error.message });
}
