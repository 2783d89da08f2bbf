import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, dataOf } from "@/api/client";

/** Logs in with the one-time code in the URL fragment, and removes the code from the address. */
export function useAdminLink() {
  const client = useQueryClient();
  const code = useRef(codeOf(window.location.hash));
  const login = useMutation({
    mutationFn: (code: string) => dataOf(api.POST("/api/login", { body: { code, cookie: true } })),
    onSuccess: () => client.resetQueries(),
  });
  const { mutate } = login;
  useEffect(() => {
    const value = code.current;
    code.current = null;
    if (!value) return;
    history.replaceState(null, "", window.location.pathname);
    mutate(value);
  }, [mutate]);
  return login;
}

export function codeOf(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("login");
}
