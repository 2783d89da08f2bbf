import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { type ExtensionId, queries } from "@/api/queries";
import type { Preset } from "@/api/schema";
import type { Values } from "@/components/draft";

export type PresetId = Pick<Preset, "name" | "whose">;

export interface Saving extends PresetId {
  data: Values;
  replace: boolean;
}

function pathOf(room: string, { category, name }: ExtensionId, { whose, name: preset }: PresetId) {
  return { params: { path: { room, category, name, whose, preset } } };
}

export function useLoadPreset(room: string, tool: ExtensionId, onLoad: (data: Values) => void) {
  return useMutation({
    mutationFn: (preset: PresetId) =>
      dataOf(
        api.GET("/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}", pathOf(room, tool, preset)),
      ),
    onSuccess: ({ data }) => onLoad(data),
  });
}

export function useSavePreset(room: string, tool: ExtensionId, onSaved: (preset: Preset) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ data, replace, ...preset }: Saving) =>
      dataOf(
        api.PUT("/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}", {
          ...pathOf(room, tool, preset),
          body: { data, replace },
        }),
      ),
    onSuccess: async (preset) => {
      await client.invalidateQueries({ queryKey: queries.presets(room, tool).queryKey });
      onSaved(preset);
    },
  });
}

export function useDeletePreset(room: string, tool: ExtensionId, onDeleted: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (preset: PresetId) =>
      dataOf(
        api.DELETE(
          "/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}",
          pathOf(room, tool, preset),
        ),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.presets(room, tool).queryKey });
      onDeleted();
    },
  });
}

/** Whether I may replace or delete a preset: mine, one that I saved, or any in a room of mine. */
export function useMayChange(room: string): (preset: Preset) => boolean {
  const { data: me } = useQuery(queries.me());
  const { data: found } = useQuery(queries.room(room));
  return ({ whose, user }) =>
    whose === "mine" || user === me?.user || found?.owner === me?.user || me?.role === "admin";
}
