import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from "pdfjs-dist";
import worker from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useEffect, useRef, useState } from "react";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import classes from "./Results.module.css";
import { readArtifact } from "./readArtifact";

GlobalWorkerOptions.workerSrc = worker;
const PAGES = 5;
const MAX_WIDTH = 1600;

/** The pages of a PDF, drawn without its scripts, links and forms. */
export default function Pdf({ address, name }: { address: string; name: string }) {
  const [shown, setShown] = useState(PAGES);
  const file = useQuery({
    queryKey: ["pdf", address],
    queryFn: async () => {
      const data = await bytesOf(address);
      return getDocument({ data, useSystemFonts: true, enableXfa: false }).promise;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    structuralSharing: false,
  });
  if (file.isPending) return <Loading />;
  if (file.isError) return <ErrorMessage error={file.error} />;
  const count = file.data.numPages;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={classes.pages} aria-label={`Pages of ${name}`} tabIndex={0}>
        {Array.from({ length: Math.min(count, shown) }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages are numbered
          <Sheet key={index} file={file.data} number={index + 1} />
        ))}
      </section>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">{`${count} ${count === 1 ? "page" : "pages"}`}</Text>
        {count > shown && (
          <Button size="compact-xs" variant="default" onClick={() => setShown(shown + PAGES)}>
            More pages
          </Button>
        )}
      </Group>
    </div>
  );
}

async function bytesOf(address: string): Promise<Uint8Array> {
  const [, base64] = address.split(";base64,");
  if (address.startsWith("data:")) return Uint8Array.from(atob(base64 ?? ""), (each) => each.charCodeAt(0));
  return new Uint8Array(await (await readArtifact(address)).arrayBuffer());
}

function Sheet({ file, number }: { file: PDFDocumentProxy; number: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let stop = () => {};
    const draw = async () => {
      const page = await file.getPage(number);
      const node = canvas.current;
      if (!node) return;
      const natural = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: Math.min(2, MAX_WIDTH / natural.width) });
      node.width = viewport.width;
      node.height = Math.min(viewport.height, 2 * MAX_WIDTH);
      const task = page.render({ canvas: node, viewport });
      stop = () => task.cancel();
      await task.promise;
      node.dataset.state = "drawn";
    };
    draw().catch(() => undefined); // cancelled, or a broken page, which stays empty
    return () => stop();
  }, [file, number]);
  return <canvas ref={canvas} role="img" aria-label={`Page ${number}`} />;
}
