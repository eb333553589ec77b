/** Scheme of the documents with the starts of workers. */
export const START_SCHEME = 'cloud-compute-start';
