import { ActionIcon, Group, Input, Menu, Text, TextInput, Tooltip } from "@mantine/core";
import {
  IconBookmark,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
  IconRepeat,
  IconRepeatOff,
} from "@tabler/icons-react";
import { type ChangeEvent, memo, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useDocument } from "@/api/documents";
import type { Player } from "./player";
import type { Stage } from "./stage";
import { useStore } from "./store";
import classes from "./View.module.css";

interface Props {
  room: string;
  stage: Stage;
  player: Player;
  mayEdit: boolean;
  onGo: (step: number) => void;
}

const SPEEDS = [1, 2, 5, 10, 20, 30, 60];

/** Goes through the frames. Only the parts that show the step are rendered for each. */
export const PlayBar = memo(function PlayBar({ room, stage, player, mayEdit, onGo }: Props) {
  const length = useStore(stage.state, (state) => state.length);
  const isPlaying = useStore(stage.state, (state) => state.isPlaying);
  const [pace, setPace] = useState(player.pace);
  useEffect(() => {
    player.pace = pace;
  }, [player, pace]);
  const last = Math.max(0, length - 1);
  return (
    <Group className={classes.play} gap="xs" role="group" aria-label="Frames">
      <Button label="First frame (Home)" onClick={() => onGo(0)}>
        <IconPlayerSkipBack size={18} />
      </Button>
      <Button
        label={isPlaying ? "Pause (Space)" : "Play (Space)"}
        onClick={() => player.toggle()}
        isDisabled={length < 2}
      >
        {isPlaying ? <IconPlayerPause size={18} /> : <IconPlayerPlay size={18} />}
      </Button>
      <Button label="Last frame (End)" onClick={() => onGo(last)}>
        <IconPlayerSkipForward size={18} />
      </Button>
      <Position room={room} stage={stage} last={last} onGo={onGo} />
      <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }} visibleFrom="xs">
        of {length.toLocaleString("en")}
      </Text>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" w={54} aria-label="Speed">
            <Text size="xs">{pace.fps}/s</Text>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {SPEEDS.map((fps) => (
            <Menu.Item key={fps} onClick={() => setPace({ ...pace, fps })}>
              {fps} frames per second
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        label={pace.isLoop ? "Play once" : "Play in a loop"}
        onClick={() => setPace({ ...pace, isLoop: !pace.isLoop })}
      >
        {pace.isLoop ? <IconRepeat size={18} /> : <IconRepeatOff size={18} />}
      </Button>
      <Bookmarks room={room} stage={stage} mayEdit={mayEdit} onGo={onGo} />
    </Group>
  );
});

/** The step is written into both fields and not rendered: it changes with each frame. */
function Position({ room, stage, last, onGo }: Pick<Props, "room" | "stage" | "onGo"> & { last: number }) {
  const slider = useRef<HTMLInputElement>(null);
  const number = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const show = () => {
      const step = String(Math.min(stage.state.get().step, last));
      for (const { current } of [slider, number]) if (current && current.value !== step) current.value = step;
    };
    show();
    return stage.state.subscribe(show);
  }, [stage, last]);
  const [bookmarks] = useDocument<Record<string, string>>(room, "bookmarks", NONE);
  const marks = useMemo(() => marksOf(bookmarks, last), [bookmarks, last]);
  const marksId = useId();
  const go = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const step = currentTarget.valueAsNumber;
    if (Number.isInteger(step) && step !== stage.state.get().step) onGo(step);
  };
  const field = { type: "number", min: 0, max: last, onChange: go, defaultValue: 0 };
  return (
    <>
      <input
        {...field}
        ref={slider}
        type="range"
        className={classes.slider}
        aria-label="Frame"
        list={marksId}
        disabled={last < 1}
      />
      <datalist id={marksId}>
        {marks.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
      <Input {...field} ref={number} className={classes.number} aria-label="Frame number" size="xs" w={72} />
    </>
  );
}

function marksOf(bookmarks: Record<string, string>, last: number) {
  return Object.entries(bookmarks)
    .map(([at, label]) => ({ value: Number(at), label: String(label) }))
    .filter(({ value }) => Number.isInteger(value) && value >= 0 && value <= last);
}

const NONE: Record<string, string> = {};

function Bookmarks(props: Pick<Props, "room" | "stage" | "mayEdit" | "onGo">) {
  const { room, stage } = props;
  const [bookmarks] = useDocument<Record<string, string>>(room, "bookmarks", NONE);
  const here = useStore(stage.state, ({ step }) => bookmarks[step]);
  return (
    <Menu closeOnItemClick={false} trapFocus>
      <Menu.Target>
        <ActionIcon
          variant={here === undefined ? "default" : "filled"}
          title={here === undefined ? here : String(here)}
          aria-label="Bookmarks"
        >
          <IconBookmark size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <BookmarkItems {...props} />
      </Menu.Dropdown>
    </Menu>
  );
}

function BookmarkItems({ room, stage, mayEdit, onGo }: Pick<Props, "room" | "stage" | "mayEdit" | "onGo">) {
  const step = useStore(stage.state, (state) => state.step);
  const [bookmarks, write] = useDocument<Record<string, string>>(room, "bookmarks", NONE);
  const [name, setName] = useState("");
  const { [String(step)]: here, ...others } = bookmarks;
  const add = () => {
    if (name.trim()) write({ ...bookmarks, [step]: name.trim() });
    setName("");
  };
  return (
    <>
      {Object.entries(bookmarks).map(([at, label]) => (
        <Menu.Item key={at} onClick={() => onGo(Number(at))}>
          {at}: {String(label)}
        </Menu.Item>
      ))}
      {mayEdit && here !== undefined && (
        <Menu.Item color="red" onClick={() => write(others)}>
          Remove the bookmark of this frame
        </Menu.Item>
      )}
      {mayEdit && (
        <TextInput
          m="xs"
          size="xs"
          label={`Bookmark frame ${step}`}
          placeholder="Name"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Enter") add();
          }}
        />
      )}
    </>
  );
}

interface ButtonProps {
  label: string;
  onClick: () => void;
  isDisabled?: boolean;
  children: React.ReactNode;
}

function Button({ label, onClick, isDisabled, children }: ButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} onClick={onClick} disabled={isDisabled}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
