import { Problem } from "@/api/problem";
import type { RoomFile } from "@/api/schema";

/** By XMLHttpRequest: `fetch` does not say how far an upload is. */
export function upload(room: string, file: File, onShare: (share: number) => void): Promise<RoomFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/rooms/${room}/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onShare(loaded / total);
    request.onload = () =>
      request.status < 300 ? resolve(request.response) : reject(new Problem(request.response));
    request.onerror = () => reject(new Error("The upload was cut off. Try again."));
    request.send(file);
  });
}
