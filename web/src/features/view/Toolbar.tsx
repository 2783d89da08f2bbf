import { ActionIcon, Group, Menu, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBroadcast,
  IconCamera,
  IconCube,
  IconFocusCentered,
  IconPerspective,
  IconUsers,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { saveAs } from "@/components/results/download";
import type { Display } from "./display";
import type { StandardView } from "./engine/camera";
import type { Stage } from "./stage";
import classes from "./View.module.css";

interface Props {
  stage: Stage;
  display: Display;
  onDisplay: (change: Partial<Display>) => void;
  together: {
    isFollowing: boolean;
    isPresenting: boolean;
    mayEdit: boolean;
    setFollowing: (isFollowing: boolean) => void;
    setPresenting: (isPresenting: boolean) => void;
  };
  onUndo: () => void;
  onRedo: () => void;
}

const VIEWS: [StandardView, string][] = [
  ["a", "Along x"],
  ["-a", "Against x"],
  ["b", "Along y"],
  ["-b", "Against y"],
  ["c", "Along z"],
  ["-c", "Against z"],
];

/** Buttons above the picture. */
export function Toolbar({ stage, display, onDisplay, together, onUndo, onRedo }: Props) {
  const { isFollowing, isPresenting, mayEdit, setFollowing, setPresenting } = together;
  const save = async () => {
    const picture = await stage.toPNG();
    if (picture) saveAs(`frame-${stage.state.get().step}.png`, picture, "image/png");
  };
  return (
    <Group className={classes.toolbar} justify="space-between" wrap="nowrap" align="start">
      <Group gap={6}>
        <Button label="Fit" onClick={() => stage.view.fit()} icon={<IconFocusCentered size={18} />} />
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" aria-label="Standard views">
              <IconCube size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {VIEWS.map(([view, name]) => (
              <Menu.Item key={view} onClick={() => stage.view.look(view)}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          label="Perspective"
          isPressed={display.isPerspective}
          onClick={() => onDisplay({ isPerspective: !display.isPerspective })}
          icon={<IconPerspective size={18} />}
        />
        <Button label="Save as PNG" onClick={() => void save()} icon={<IconCamera size={18} />} />
      </Group>
      <Group gap={6} wrap="nowrap">
        {mayEdit && (
          <>
            <Button label="Undo (Ctrl-Z)" onClick={onUndo} icon={<IconArrowBackUp size={18} />} />
            <Button label="Redo (Ctrl-Shift-Z)" onClick={onRedo} icon={<IconArrowForwardUp size={18} />} />
          </>
        )}
        <Button
          label="Same frame and camera as the others"
          isPressed={isFollowing}
          onClick={() => setFollowing(!isFollowing)}
          icon={<IconUsers size={18} />}
        />
        {mayEdit && (
          <Button
            label="Present: others see my camera"
            isPressed={isPresenting}
            onClick={() => setPresenting(!isPresenting)}
            icon={<IconBroadcast size={18} />}
          />
        )}
      </Group>
    </Group>
  );
}

interface ButtonProps {
  label: string;
  icon: ReactNode;
  isPressed?: boolean;
  onClick: () => void;
}

function Button({ label, icon, isPressed, onClick }: ButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={isPressed ? "filled" : "default"}
        aria-label={label}
        aria-pressed={isPressed}
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
