import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { enteredInvite } from "@/components/invite";
import { SubmitForm } from "@/components/SubmitForm";
import { useJoin } from "./useJoin";

/** For a code or a link that somebody sent. `refusal` is why an invite did not work before. */
export function JoinForm({ room: known = "", refusal }: { room?: string; refusal?: Error | null }) {
  const [, go] = useLocation();
  const [room, setRoom] = useState(known);
  const [code, setCode] = useState("");
  const joining = useJoin((joined) => go(`~/rooms/${joined.name}`));
  const enter = (text: string) => {
    const invite = enteredInvite(text, room);
    setRoom(invite.room);
    setCode(invite.code);
  };
  const error = joining.isIdle ? refusal : joining.error;
  return (
    <SubmitForm
      action="Join"
      onSubmit={() => joining.mutate({ room, code })}
      isPending={joining.isPending}
      error={error}
    >
      <TextInput
        label="Name of the room"
        description="As in its address"
        required
        maxLength={64}
        value={room}
        onChange={(event) => setRoom(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Invite code"
        description="Or the whole link"
        autoComplete="off"
        required
        value={code}
        onChange={(event) => enter(event.currentTarget.value)}
      />
    </SubmitForm>
  );
}
