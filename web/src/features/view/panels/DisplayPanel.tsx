import {
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import type { FramesSummary } from "@/api/schema";
import { COLOUR_MAPS, type ColourMap } from "../colour/scale";
import { atomKeys, MOMENTA, VELOCITIES } from "../data/properties";
import type { Display } from "../display";
import type { Style } from "../engine/moleculeView";
import type { Stage } from "../stage";
import { useStore } from "../store";

interface Props {
  summary: FramesSummary;
  display: Display;
  stage: Stage;
  onChange: (change: Partial<Display>) => void;
}

const STYLES: { value: Style; label: string }[] = [
  { value: "ball-and-stick", label: "Balls" },
  { value: "space-filling", label: "Spheres" },
  { value: "points", label: "Points" },
];
const NO_VECTORS = "none";

/** How the atoms are drawn, for oneself alone. */
export function DisplayPanel({ summary, display, stage, onChange }: Props) {
  const { scalars, vectors } = atomKeys(summary.keys);
  const isPlain = display.colourBy === "element";
  const colours = [...new Set([...scalars, ...vectors])];
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={600} id="style">
          Style
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby="style"
          data={STYLES}
          value={display.style}
          onChange={(value) => onChange({ style: value as Style })}
        />
      </div>
      <Select
        label="Colour by"
        data={[
          { value: "element", label: "Element" },
          ...colours.map((key) => ({ value: key, label: vectors.includes(key) ? `|${key}|` : key })),
          { value: "expression", label: "Expression…" },
        ]}
        value={display.colourBy}
        onChange={(value) => value && onChange({ colourBy: value, range: null })}
        allowDeselect={false}
      />
      {display.colourBy === "expression" && (
        <TextInput
          label="Expression"
          description="x y z number index, and the arrays of the frame; norm abs sqrt exp log min max mean"
          value={display.expression}
          maxLength={500}
          onChange={(event) => onChange({ expression: event.currentTarget.value })}
        />
      )}
      {!isPlain && <ScaleFields display={display} stage={stage} onChange={onChange} />}
      <Select
        label="Arrows"
        data={[
          { value: NO_VECTORS, label: "None" },
          ...(vectors.includes(MOMENTA) ? [{ value: VELOCITIES, label: "Velocities" }] : []),
          ...vectors.map((key) => ({ value: key, label: key })),
        ]}
        value={display.vectors ?? NO_VECTORS}
        onChange={(value) => onChange({ vectors: value === NO_VECTORS ? null : value })}
        allowDeselect={false}
      />
      {display.vectors && (
        <NumberInput
          label="Length of an arrow in Å, for 1"
          value={display.vectorScale}
          min={0.001}
          max={1000}
          step={0.5}
          onChange={(value) => typeof value === "number" && value > 0 && onChange({ vectorScale: value })}
        />
      )}
      <Select
        label="Labels"
        data={[
          { value: "none", label: "None" },
          { value: "index", label: "Number of the atom" },
          { value: "element", label: "Element" },
        ]}
        value={display.labels}
        onChange={(value) => value && onChange({ labels: value as Display["labels"] })}
        allowDeselect={false}
      />
      <Switches display={display} onChange={onChange} />
    </Stack>
  );
}

function ScaleFields({ display, stage, onChange }: Omit<Props, "summary">) {
  const drawn = useStore(stage.state, (state) => state.range);
  const range = display.range ?? drawn;
  const set = (end: 0 | 1, value: string | number) => {
    if (!range || typeof value !== "number") return;
    onChange({ range: end === 0 ? [value, range[1]] : [range[0], value] });
  };
  return (
    <>
      <Select
        label="Colours"
        data={COLOUR_MAPS}
        value={display.colourMap}
        onChange={(value) => value && onChange({ colourMap: value as ColourMap })}
        allowDeselect={false}
      />
      <Checkbox
        label="The same range for all frames"
        checked={display.range !== null}
        onChange={(event) => onChange({ range: event.currentTarget.checked ? drawn : null })}
      />
      {display.range && (
        <Group grow>
          <NumberInput label="From" value={display.range[0]} onChange={(value) => set(0, value)} />
          <NumberInput label="To" value={display.range[1]} onChange={(value) => set(1, value)} />
        </Group>
      )}
    </>
  );
}

function Switches({ display, onChange }: Pick<Props, "display" | "onChange">) {
  const fields = [
    ["hasCell", "Cell"],
    ["hasAxes", "Axes"],
    ["hasConstraints", "Mark fixed atoms"],
    ["hasGeometries", "Geometries"],
  ] as const;
  return fields.map(([field, label]) => (
    <Checkbox
      key={field}
      label={label}
      checked={display[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.checked })}
    />
  ));
}
