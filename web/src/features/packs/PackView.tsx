import { Alert, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSocketEvents } from "@/api/LiveProvider";
import { mounted } from "@/api/mount";
import { queries } from "@/api/queries";
import { requestJson } from "@/api/requestJson";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { NotFound } from "@/components/NotFound";
import { useIsViewer } from "@/components/ViewOnly";

interface Props {
  room: string;
  user: string;
  pack: string;
  name: string;
}

/** A view of a pack: its module is loaded when the view is opened. */
export default function PackView({ room, user, pack, name }: Props) {
  const packs = useQuery(queries.packs());
  if (packs.isPending) return <Loading />;
  if (packs.isError) return <ErrorMessage error={packs.error} retry={packs.refetch} />;
  const view = packs.data.find((each) => each.name === pack)?.views.find((each) => each.name === name);
  if (!view?.module) return <NotFound />;
  return (
    <>
      <Title order={1} size="h2" mb="md">
        {view.title}
      </Title>
      <Mounted key={view.module} room={room} user={user} module={view.module} title={view.title} />
    </>
  );
}

interface MountedProps {
  room: string;
  user: string;
  module: string;
  title: string;
}

type Unmount = () => void;

function Mounted({ room, user, module, title }: MountedProps) {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<string | null>(null);
  const readOnly = useIsViewer(room);
  const subscribe = useSocketEvents();
  useEffect(() => {
    const element = document.createElement("div");
    place.current?.append(element);
    let unmount: Unmount | undefined;
    let isGone = false;
    const mount = async () => {
      const found = await import(/* @vite-ignore */ mounted(module));
      if (typeof found.mount !== "function") throw new Error("its module exports no function mount");
      const end: Unmount | undefined = await found.mount(element, {
        room,
        user,
        readOnly,
        subscribe,
        request: requestJson,
      });
      if (isGone) end?.();
      else unmount = end;
    };
    mount().catch((fault) => !isGone && setError(sentenceOf(fault)));
    return () => {
      isGone = true;
      endQuietly(unmount);
      element.remove();
    };
  }, [room, user, module, readOnly, subscribe]);
  return (
    <>
      {error !== null && (
        <Alert color="red" role="alert">
          The view “{title}” cannot be shown: {error}
        </Alert>
      )}
      <div ref={place} />
    </>
  );
}

/** A view that fails while it is closed must not take the page with it. */
function endQuietly(unmount: Unmount | undefined): void {
  try {
    unmount?.();
  } catch (fault) {
    console.warn("A view could not be closed:", fault);
  }
}

function sentenceOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
