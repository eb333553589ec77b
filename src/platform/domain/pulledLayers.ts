import * as z from 'zod';
import { Count, Moment, Text } from './recordFields.ts';

/** A layer of an image that an engine pulled. Times are in ms since the epoch. */
export const PulledLayer = z.object({
  /** As the engine reports it, such as the first 12 digits of its digest. */
  id: Text,
  /** Size of the download. Omitted if the engine does not report it. */
  bytes: Count.optional(),
  from: Moment,
  /** End of the download. */
  downloadedAt: Moment.optional(),
  /** Time from which the layer was extracted. Podman does not report it. */
  extractedFrom: Moment.optional(),
  to: Moment,
  /** Whether the engine had the layer already. */
  isPresent: z.boolean(),
});
export type PulledLayer = z.infer<typeof PulledLayer>;
