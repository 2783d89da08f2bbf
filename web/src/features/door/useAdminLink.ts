import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, got } from "@/api/client";

/** What stands behind the # of the admin's link works once, so it leaves the address at once. */
export function useAdminLink() {
  const client = useQueryClient();
  const code = useRef(codeOf(window.location.hash));
  const login = useMutation({
    mutationFn: (code: string) => got(api.POST("/api/login", { body: { code, cookie: true } })),
    onSuccess: () => client.resetQueries(),
  });
  const { mutate } = login;
  useEffect(() => {
    const given = code.current;
    code.current = null;
    if (!given) return;
    history.replaceState(null, "", window.location.pathname);
    mutate(given);
  }, [mutate]);
  return login;
}

export function codeOf(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("login");
}
