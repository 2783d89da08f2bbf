/** What providers do. */
export const ACTIONS = ["txt2img", "img2img", "img2vid", "upscale", "vary"] as const;
export type Action = (typeof ACTIONS)[number];

export const ACTION_NAMES: Record<Action, string> = {
  txt2img: "Image",
  img2img: "Image from image",
  img2vid: "Video from image",
  upscale: "Upscale",
  vary: "Vary",
};
