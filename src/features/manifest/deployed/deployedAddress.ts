import { DocumentAddresses } from '../../../kit/documents/address.ts';
import { matching, object, text, type ValueOf } from '../../../kit/smallSchema.ts';

/** Scheme of the documents that show a deployed endpoint in the form of its manifest. */
export const DEPLOYED_SCHEME = 'cloud-compute-deployed';

const Address = object({
  connectionId: text,
  endpointId: text,
  /** URI of the manifest's file. */
  file: text,
  /** Index of the endpoint in the file. */
  part: matching((value): value is number => Number.isSafeInteger(value) && Number(value) >= 0),
});

export type DeployedAddress = ValueOf<typeof Address>;

/** Documents that show a deployed endpoint in the form of its manifest. Their names are those of the manifests. */
export const deployedAddresses = new DocumentAddresses(
  DEPLOYED_SCHEME,
  Address,
  ({ file }) => /\.endpoint\.(?:ya?ml|json)$/.exec(file)?.[0] ?? '',
);
