import { type BaseLocationHook, useBrowserLocation } from "wouter/use-browser-location";
import { mounted, unmounted } from "@/api/mount";

type Navigate = ReturnType<typeof useBrowserLocation>[1];

const navigateMounted =
  (navigate: Navigate): Navigate =>
  (to, options) =>
    navigate(typeof to === "string" ? mounted(to) : to, options);

/** The location as if this server were at the root of its site. */
export const useMountedLocation: BaseLocationHook = () => {
  const [path, navigate] = useBrowserLocation();
  return [unmounted(path), navigateMounted(navigate)];
};
