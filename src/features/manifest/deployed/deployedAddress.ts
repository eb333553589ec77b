import * as z from 'zod';
import { DocumentAddresses } from '../../../kit/documents/address.ts';

/** Scheme of the documents that show a deployed endpoint in the form of its manifest. */
export const DEPLOYED_SCHEME = 'cloud-compute-deployed';

const Address = z.object({
  connectionId: z.string(),
  endpointId: z.string(),
  /** URI of the manifest's file. */
  file: z.string(),
  /** Index of the endpoint in the file. */
  part: z.int().min(0),
});

export type DeployedAddress = z.infer<typeof Address>;

/** Documents that show a deployed endpoint in the form of its manifest. Their names are those of the manifests. */
export const deployedAddresses = new DocumentAddresses(
  DEPLOYED_SCHEME,
  Address,
  ({ file }) => /\.endpoint\.(?:ya?ml|json)$/.exec(file)?.[0] ?? '',
);
