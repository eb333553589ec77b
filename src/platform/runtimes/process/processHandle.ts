import * as z from 'zod';
import type { RunHandle } from '../runtime.ts';

/** How a run is found again. The process ID and start time are unknown before the process is there. */
export const ProcessHandle = z.object({
  runtime: z.literal('process'),
  runId: z.string().min(1),
  pid: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** In the words of the operating system; null if it cannot be told. With the process ID, it identifies the process. */
  processStart: z.string().nullish(),
});
export type ProcessHandle = z.infer<typeof ProcessHandle>;

/** The handles of processes among those of any runtime. */
export function processHandles(handles: readonly RunHandle[]): ProcessHandle[] {
  return handles.flatMap((handle) => ProcessHandle.safeParse(handle).data ?? []);
}
