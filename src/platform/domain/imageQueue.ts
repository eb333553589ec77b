import { IMAGE_EDIT_ENDPOINT_ID } from '../../contract/imageModel.ts';
import { OWNER_ACCOUNT_ID } from './account.ts';

/* Queues of the public image-editing model. Separate queues hide jobs from other accounts. */

const SEPARATOR = '@';

/** Returns the queue of an account. The ID of the owner's queue is the ID of the model. */
export const imageQueue = (accountId: string): string =>
  accountId === OWNER_ACCOUNT_ID ? IMAGE_EDIT_ENDPOINT_ID : IMAGE_EDIT_ENDPOINT_ID + SEPARATOR + accountId;

/** Returns the account of a queue of the model. Undefined for the queue of an endpoint. */
export function accountOfImageQueue(queue: string): string | undefined {
  const [model, accountId = OWNER_ACCOUNT_ID] = queue.split(SEPARATOR);
  return model === IMAGE_EDIT_ENDPOINT_ID ? accountId : undefined;
}
