import * as l10n from '@vscode/l10n';
import type { Client } from '../../../../client/client.ts';
import type { CallOptions } from '../../../../client/request.ts';
import { IMAGE_EDIT_ENDPOINT_ID, IMAGE_EDIT_PRICE_USD } from '../../../../contract/imageModel.ts';

/** A model that the platform serves to all accounts. */
export interface PublicModel {
  /** ID of its endpoint. */
  readonly id: string;
  readonly name: string;
  /** Price of one image, in USD. */
  readonly price: number;
  /** Jobs of the account that wait, and that run. */
  readonly inQueue: number;
  readonly inProgress: number;
}

/** Returns the public models that this extension knows. @throws ApiError of kind `notFound` if the platform serves none */
export async function listPublicModels(
  client: Pick<Client, 'getEndpointHealth'>,
  options: CallOptions,
): Promise<readonly PublicModel[]> {
  const { jobs } = await client.getEndpointHealth({ endpointId: IMAGE_EDIT_ENDPOINT_ID }, options);
  const { inQueue, inProgress } = jobs;
  return [
    { id: IMAGE_EDIT_ENDPOINT_ID, name: l10n.t('Image Editing'), price: IMAGE_EDIT_PRICE_USD, inQueue, inProgress },
  ];
}
