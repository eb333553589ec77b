/* The public image-editing model. */

/** Endpoint ID of the model, which behaves like any other queue-based endpoint. */
export const IMAGE_EDIT_ENDPOINT_ID = 'image-edit';

/** Lifetime of the URL of an edited image, in ms. */
export const IMAGE_URL_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Flat price of one edited image, in USD. If a response has `output.cost`, that amount was charged instead. */
export const IMAGE_EDIT_PRICE_USD = 0.02;

/* Limits of the model of local platforms. Hosted platforms do not document theirs. */

/** Maximum size of the file of a source image, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1_048_576;
/** Maximum size of a source image that the request itself contains, in bytes. As a `data:` URL, it fits into a body of runsync. */
export const MAX_EMBEDDED_IMAGE_BYTES = 14 * 1_048_576;
/** Maximum size of a picture, in pixels. A picture of this size is a large photo, and takes 96 MB of memory. */
export const MAX_IMAGE_PIXELS = 24_000_000;
/** Maximum length of `prompt` and of `negative_prompt`, in UTF-16 code units. */
export const MAX_PROMPT_LENGTH = 4_000;
/** Largest seed that a client chooses at random. */
export const MAX_RANDOM_SEED = 2 ** 31 - 1;

/** Format of an edited image if the request has none. */
export const DEFAULT_IMAGE_FORMAT = 'jpeg';
