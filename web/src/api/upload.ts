import { mounted } from "./mount";
import { Problem } from "./problem";
import type { RoomFile } from "./schema";

/** Uses XMLHttpRequest because `fetch` reports no upload progress. */
export function upload(room: string, file: File, onProgress: (fraction: number) => void): Promise<RoomFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", mounted(`/api/rooms/${room}/files?name=${encodeURIComponent(file.name)}`));
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () =>
      request.status < 300 ? resolve(request.response) : reject(new Problem(request.response));
    request.onerror = () => reject(new Error("The upload was interrupted. Try again."));
    request.send(file);
  });
}
