import type { OfferedValues } from '../../../../account/liveValues/liveValues.ts';
import type { ManifestNode } from '../text/node.ts';
import type { DraftRules } from '../draft.ts';
import type { Place } from './place.ts';
import type { Writing } from './writing.ts';

/** The cursor, and everything that decides on the completions there. */
export interface Request {
  readonly text: string;
  readonly place: Place;
  readonly rules: DraftRules;
  readonly live: OfferedValues;
  readonly writing: Writing;
  /** Node at the path of the place. */
  readonly node: ManifestNode | undefined;
  /** Node of the map or list that contains it. */
  readonly parent: ManifestNode | undefined;
}
