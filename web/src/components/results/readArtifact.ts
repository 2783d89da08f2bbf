import { problemOf } from "@/api/problem";
import { withViewToken } from "@/api/viewToken";

/** Fetches a file of a job, or a part of it: its bytes from the first to before the last. */
export async function readArtifact(address: string, part?: [first: number, last: number]): Promise<Response> {
  const headers = withViewToken(part ? { Range: `bytes=${part[0]}-${part[1] - 1}` } : {});
  const response = await fetch(address, { headers });
  if (!response.ok) throw await problemOf(response);
  return response;
}
