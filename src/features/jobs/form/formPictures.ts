import { createHash } from 'node:crypto';
import type { JobFormPicture, JobFormValue } from '../../../webviews/jobForm/messages.ts';
import { valueAt } from '../model/positionedJson.ts';

/** Maximum length of the text of a picture that is shown, in UTF-16 code units: that of 4 MB. */
const MAX_LENGTH = 5_600_000;

/** First bytes of the formats of pictures that browsers show. An SVG is no picture here, because it is a document. */
const FORMATS: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** The pictures in the values of a form, each of which is sent to its page once. */
export class FormPictures {
  readonly #sent = new Set<string>();

  /** Sends all pictures again, such as to a page that was loaded again. */
  forget(): void {
    this.#sent.clear();
  }

  /** Returns the values with the IDs of their pictures, and the pictures that the page does not have yet. */
  of(values: readonly JobFormValue[], input: unknown): { values: JobFormValue[]; pictures: JobFormPicture[] } {
    const pictures: JobFormPicture[] = [];
    const withPictures = values.map((value): JobFormValue => {
      const text = valueAt(input, value.path);
      const picture = typeof text === 'string' && text.length <= MAX_LENGTH ? pictureIn(text) : undefined;
      if (!picture) return value;
      const { id, mediaType } = picture;
      if (!this.#sent.has(id)) pictures.push({ id, mediaType, bytes: picture.bytes() });
      this.#sent.add(id);
      const { large } = value;
      return { ...value, picture: id, ...(large && { large: { mediaType, ...large } }) };
    });
    return { values: withPictures, pictures };
  }
}

/** Returns the picture in a data URL or a Base64 text. Its format follows from its first bytes. */
function pictureIn(text: string) {
  const comma = text.startsWith('data:') ? text.slice(0, 400).indexOf(',') + 1 : 0;
  const encoded = text.slice(comma);
  const start = Buffer.from(encoded.slice(0, 32), 'base64').toString('latin1');
  const [mediaType] = FORMATS.find(([, format]) => format.test(start)) ?? [];
  if (mediaType === undefined) return undefined;
  const id = createHash('sha256').update(encoded).digest('base64url').slice(0, 22);
  return { id, mediaType, bytes: () => new Uint8Array(Buffer.from(encoded, 'base64')) };
}
