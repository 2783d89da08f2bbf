import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { hasWebGL } from "./engine/moleculeView";
import { NoGraphics } from "./NoGraphics";
import { Workspace } from "./Workspace";

interface Props {
  room: string;
  /** The id of the person who looks. */
  me: string;
  mayEdit: boolean;
  /** What is shown beside the picture under *Tools*. */
  tools: ReactNode;
}

/** The frames of a room as a picture. */
export default function View({ room, me, mayEdit, tools }: Props) {
  const frames = useQuery(queries.frames(room));
  if (frames.isPending) return <Loading />;
  if (frames.isError) return <ErrorMessage error={frames.error} retry={frames.refetch} />;
  if (frames.data.length === 0)
    return (
      <EmptyState title="No frames yet">
        Load a file with a tool, or send frames from Python: <code>room.frames.append(…)</code>. They appear
        here at once.
      </EmptyState>
    );
  if (!hasWebGL()) return <NoGraphics room={room} length={frames.data.length} />;
  return <Workspace room={room} me={me} summary={frames.data} mayEdit={mayEdit} tools={tools} />;
}
