import * as z from 'zod/mini';
import type { Received } from '../schema.ts';

/* Messages between the editor and the page of a tuning. Times are ms, and amounts are USD a month. */

/** One simulated setting, as a point of the picture: its cost and its 95th percentile of the wait. */
const Point = z.object({ usd: z.number(), waitMs: z.number() });

/** A setting that can be chosen: one of the frontier, or the present one. */
const Row = z.object({
  id: z.string(),
  usd: z.number(),
  waitMs: z.number(),
  wait: z.string(),
  scaling: z.string(),
  workers: z.string(),
  idle: z.string(),
  flashboot: z.string(),
  hardware: z.string(),
  isPresent: z.boolean(),
  /** Comparison with the present settings, as a sentence, and the settings that differ. */
  comparison: z.string(),
  changes: z.string(),
});
export type TuningRow = Received<typeof Row>;

const View = z.object({
  name: z.string(),
  connection: z.string(),
  state: z.enum(['running', 'done', 'canceled', 'failed']),
  done: z.number(),
  /** 0 while the settings are not known yet. */
  total: z.number(),
  failure: z.optional(z.string()),
  /** Sentences about the load, and about what is assumed. */
  notes: z.array(z.string()),
  /** What *Apply* changes. */
  applies: z.enum(['manifest', 'endpoint']),
});
export type TuningView = Received<typeof View>;

const Result = z.object({
  points: z.array(Point),
  /** Cheapest first. */
  rows: z.array(Row),
  /** IDs of rows. */
  cheapest: z.optional(z.string()),
  fastest: z.optional(z.string()),
});
export type TuningResult = Received<typeof Result>;

export const ToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('view'), view: View }),
  z.object({ type: z.literal('result'), result: Result }),
  z.object({ type: z.literal('keep'), reopen: z.unknown() }),
]);
export type TuningToWebview = Received<typeof ToWebview>;

export const ToHost = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('repeat') }),
  z.object({ type: z.literal('apply'), id: z.string() }),
]);
export type TuningToHost = Received<typeof ToHost>;

/** The part of the kept state that the page reads: the choices of the user. The editor reads `reopen`. */
export const KeptState = z.object({
  chosen: z.catch(z.optional(z.string()), undefined),
  targetSeconds: z.catch(z.optional(z.number()), undefined),
});
export type TuningPageState = Received<typeof KeptState> & { readonly reopen: unknown };
