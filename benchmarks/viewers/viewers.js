/** What the pages of the other viewers share. */
const name = new URLSearchParams(location.search).get("frames");

export const fetchFirst = async () => (await fetch(`/${name}/first.pdb`)).text();

/** One array of coordinates for each frame. */
export async function fetchPositions(count) {
  const all = new Float32Array(await (await fetch(`/${name}/positions`)).arrayBuffer());
  const size = Number((await (await fetch(`/${name}/atoms`)).text())) * 3;
  return Array.from({ length: count }, (_, frame) => all.slice(frame * size, (frame + 1) * size));
}

/** Resolves after the browser has painted what was drawn before. */
export const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
