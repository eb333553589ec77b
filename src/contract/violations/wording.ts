import type { Words } from '../words.ts';

/**
 * Creates the message of a code from its data. A message that only a platform sends is a string, because an editor receives it as text.
 * Messages that ignore the data are cast to this type, which declares the data.
 */
export type Wording<Data> = (data: Data) => Words | string;
