import { ApiError } from '../../../../client/apiError.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { controlClientOf } from '../../../../client/controlClient.ts';

/**
 * Returns whether a platform offers terminals. The platform of a team does, as the local one. Others do not know the path, and answer it in
 * ways of their own, such as with 403 or a page.
 *
 * @throws ApiError if the platform does not answer
 */
export async function offersTerminals(context: RequestContext, signal: AbortSignal): Promise<boolean> {
  try {
    await controlClientOf(context).getHealth({}, { signal });
    return true;
  } catch (error) {
    const { status, kind } = error instanceof ApiError ? error : {};
    if (status === undefined || status >= 500 || kind === 'timeout' || kind === 'rateLimited') throw error;
    return false;
  }
}
