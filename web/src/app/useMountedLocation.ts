import type { BaseLocationHook } from "wouter";
import { navigate, useBrowserLocation } from "wouter/use-browser-location";
import { mounted, unmounted } from "@/api/mount";

const navigateMounted: typeof navigate = (to, options) =>
  navigate(typeof to === "string" ? mounted(to) : to, options);

/** The location as if this server were at the root of its site. */
export const useMountedLocation: BaseLocationHook = () => {
  const [path] = useBrowserLocation();
  return [unmounted(path), navigateMounted];
};
