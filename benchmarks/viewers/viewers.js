/** What the pages of the other viewers share. */
const name = new URLSearchParams(location.search).get("frames");

export const fetchFirst = async () => (await fetch(`/${name}/first.pdb`)).text();

export const fetchCell = async () => Float64Array.from(await (await fetch(`/${name}/cell`)).json());

/** One array of coordinates for each frame. */
export const fetchPositions = (count) =>
  Promise.all(
    Array.from({ length: count }, async (_, frame) =>
      new Float32Array(await (await fetch(`/${name}/positions-${frame}`)).arrayBuffer()),
    ),
  );

/** Resolves after the browser has painted what was drawn before. */
export const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
