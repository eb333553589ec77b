import * as z from 'zod';

/* Arguments that several tools have. */

export const endpointField = z
  .string()
  .min(1)
  .max(500)
  .describe('Name or ID of the endpoint, as read_endpoints returns it.');

export const jobIdField = z
  .string()
  .regex(/^[^\s/?#.][^\s/?#]*$/, 'must be the ID of a job, without spaces and slashes')
  .max(200)
  .describe('ID of the job, as run_job returns it.');

export const workerField = z.string().min(1).max(200).describe('ID of the worker, as read_endpoints returns it.');

/** A manifest: a file of the workspace, or its text. */
export const manifestFields = {
  file: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe('Path of a manifest in the workspace, such as hello/hello.endpoint.yaml. Give either file or text.'),
  text: z
    .string()
    .max(1_000_000)
    .optional()
    .describe(
      'Text of a manifest, in YAML or JSON. Give either file or text. A relative x-local.directory requires a file.',
    ),
  part: z
    .int()
    .min(0)
    .max(999)
    .optional()
    .describe('Index of the endpoint in a file with several YAML documents. Default: 0.'),
};

/** Returns a moment in ms since the epoch, of an RFC 3339 date-time or of a time span before now, such as `15m`. */
export function momentOf(text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return amount === undefined || unit === undefined ? Date.parse(text) : now - Number(amount) * (UNITS[unit] ?? 0);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const sinceField = z
  .string()
  .refine((text) => !Number.isNaN(momentOf(text, 0)), 'must be a time span such as 15m, or an RFC 3339 date-time')
  .describe('Start of the lines: a time span before now, such as 30s, 15m, 2h, or 1d, or an RFC 3339 date-time.');
