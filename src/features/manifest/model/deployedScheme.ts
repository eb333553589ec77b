/** Scheme of the documents that show a deployed endpoint in the form of its manifest. */
export const DEPLOYED_SCHEME = 'cloud-compute-deployed';
