import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { AccountChange } from "@/api/schema";
import { notify, notifyError } from "@/components/notify";

/** Changes an account, and says what was done. */
export function useUserChange(user: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ change }: { change: AccountChange; done: string }) =>
      dataOf(api.PATCH("/api/users/{user}", { params: { path: { user } }, body: change })),
    onSuccess: (_, { done }) => notify(done),
    onError: notifyError,
    onSettled: refresh,
  });
}

/** Ends all login sessions and tokens of an account. */
export function useRevocation(user: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => dataOf(api.POST("/api/token/revoke", { body: { user, all: false } })),
    onSuccess: () => notify(`All tokens of ${user} are revoked.`),
    onError: notifyError,
    onSettled: refresh,
  });
}

export function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["admin", "users"] }),
      client.invalidateQueries({ queryKey: ["admin", "audit"] }),
    ]);
}
