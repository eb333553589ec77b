import * as z from 'zod';
import type { RunHandle } from '../runtime.ts';

/** Identifies a run. The PID and start time are unknown until the process exists. */
export const ProcessHandle = z.object({
  runtime: z.literal('process'),
  runId: z.string().min(1),
  pid: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** In the format of the operating system; null if unknown. Together with the PID, it identifies the process. */
  processStart: z.string().nullish(),
  /** ID in the mark of the process from which it was forked. */
  preloader: z.string().optional(),
});
export type ProcessHandle = z.infer<typeof ProcessHandle>;

/** Returns those handles that identify processes. */
export function processHandles(handles: readonly RunHandle[]): ProcessHandle[] {
  return handles.flatMap((handle) => ProcessHandle.safeParse(handle).data ?? []);
}
