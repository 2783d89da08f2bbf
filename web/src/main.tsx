import "./app/asking"; // before anything else, for the answers take their time
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app/page.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";

// A part that a newer server does not have any more: take the page that belongs to it, but not in a loop.
window.addEventListener("vite:preloadError", (event) => {
  const last = Number(sessionStorage.getItem("renewed-at"));
  if (Date.now() - last < 10_000) return;
  event.preventDefault();
  sessionStorage.setItem("renewed-at", String(Date.now()));
  window.location.reload();
});

const root = document.getElementById("page");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
