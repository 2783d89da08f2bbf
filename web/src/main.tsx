import "./app/queryClient"; // first, so that its requests are under way while the rest loads
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app/page.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";

// A chunk is missing because the server was upgraded: reload the page to get the new one, but not in a loop.
window.addEventListener("vite:preloadError", (event) => {
  const last = Number(sessionStorage.getItem("reloaded-at"));
  if (Date.now() - last < 10_000) return;
  event.preventDefault();
  sessionStorage.setItem("reloaded-at", String(Date.now()));
  window.location.reload();
});

const root = document.getElementById("page");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
