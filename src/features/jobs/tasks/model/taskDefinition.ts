import * as z from 'zod';

/** A definition in `tasks.json`. The editor adds members of its own, which are ignored. */
const Definition = z.discriminatedUnion('task', [
  z.object({ task: z.literal('start platform') }),
  z.object({
    task: z.literal('run job'),
    /** Path of a job file, relative to the workspace folder. */
    file: z.string().min(1),
    /** Name of the connection that must be the current one. */
    connection: z.string().min(1).optional(),
  }),
]);
export type TaskDefinition = z.infer<typeof Definition>;

/** Returns a valid definition, or undefined. */
export function parseTaskDefinition(value: unknown): TaskDefinition | undefined {
  return Definition.safeParse(value).data;
}
