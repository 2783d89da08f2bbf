import { Button, Stack, Text } from "@mantine/core";
import { IconLayoutBottombar, IconLayoutSidebarRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Display } from "../display";
import classes from "../View.module.css";

interface Props {
  place: Display["plots"];
  onPlace: (place: Display["plots"]) => void;
}

/** The tab of the plots: they are in it, or below the picture. */
export function PlotsTab({ place, onPlace, children }: Props & { children: ReactNode }) {
  if (place === "beside")
    return (
      <Stack gap="sm">
        <div>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconLayoutBottombar size={14} />}
            onClick={() => onPlace("below")}
          >
            Below the picture
          </Button>
        </div>
        {children}
      </Stack>
    );
  return (
    <Text size="sm" c="dimmed">
      The plots are below the picture.
    </Text>
  );
}

/** The plots below the picture, so that they stay in sight with the other tabs. */
export function PlotsBelow({ place, onPlace, children }: Props & { children: ReactNode }) {
  if (place !== "below") return null;
  return (
    <section className={classes.dock} aria-label="Plots">
      <Button
        className={classes.dockButton}
        size="compact-xs"
        variant="default"
        leftSection={<IconLayoutSidebarRight size={14} />}
        onClick={() => onPlace("beside")}
      >
        Beside the picture
      </Button>
      {children}
    </section>
  );
}
