import * as l10n from '@vscode/l10n';
import { ApiError } from '../../client/apiError.ts';
import { foreign, safe, shown } from '../../text/shownText.ts';
import { UserError } from '../../kit/userError.ts';
import { remedyButton, type WebviewPage } from '../../kit/webviewPage.ts';
import {
  type ImageEditFailure,
  ToHost,
  type ImageEditToHost,
  type ImageEditAction,
} from '../../webviews/imageEdit/messages.ts';
import { NotConnectedError } from '../../account/connections/requireConnection.ts';
import { EditFailedError, InvalidParametersError, UnconfirmedCancelError } from './actions/editImage.ts';
import { FetchImageError } from './actions/fetchImage.ts';
import { SourceError } from './actions/readSource.ts';
import type { CommandId } from '../../kit/commandIds.ts';

/* Messages and remedies of the image editor for each kind of error. */

/** Maximum length of a reason of the platform, in UTF-16 code units. It can list all instructions, which the page lists too. */
const LONGEST_REASON = 200;

/** Returns what the page shows for an error of an edit, of its source, or of its image. */
export function failureOf(error: unknown): ImageEditFailure {
  if (error instanceof NotConnectedError) return ofConnection(error);
  if (error instanceof InvalidParametersError) return ofParameters(error);
  if (error instanceof EditFailedError) return ofEdit(error);
  if (error instanceof UnconfirmedCancelError) return ofCancel(error);
  if (error instanceof SourceError) return ofSource(error);
  if (error instanceof FetchImageError) return ofFetch(error);
  if (error instanceof ApiError) return ofRequest(error);
  const message = error instanceof UserError ? error.shown : shown`${(error as Error).message}`;
  return { message: message.text, ...plain, retry: true, remedy: SHOW_LOG };
}

const plain = { advice: [], fields: [] } as const;
const SHOW_LOG = { label: l10n.t('Show Log'), action: 'showLog' } as const;
const REPLACE_KEY = { label: l10n.t('Replace API Key'), action: 'replaceKey' } as const;

function ofConnection({ sentence, remedy }: NotConnectedError): ImageEditFailure {
  return { message: sentence.text, ...plain, retry: false, ...remedyButton(IMAGE_EDIT_COMMANDS, remedy) };
}

function ofParameters({ shown: text, problems }: InvalidParametersError): ImageEditFailure {
  const fields = problems.map(({ field }) => field).filter((field) => field !== 'format');
  return { message: text.text, advice: [], fields, retry: false };
}

/** The platform reports a reason without a code, so no field is marked. */
function ofEdit({ code, reason, jobId, shown: text }: EditFailedError): ImageEditFailure {
  const id = foreign(jobId).text;
  switch (code) {
    case 'failed': {
      const message =
        reason === undefined
          ? l10n.t('The edit failed without a reason.')
          : shown`The edit failed: ${foreign(reason, LONGEST_REASON)}`.text;
      const advice = [l10n.t('Change the prompt or the image.')];
      return { message, advice, fields: [], retry: true, jobId: id };
    }
    case 'ended':
      return { message: shown`The edit ended early: ${text}.`.text, ...plain, retry: true, jobId: id };
    case 'tooLong':
      return {
        message: shown`The edit was canceled: ${text}.`.text,
        advice: [l10n.t('Try a smaller image, or try later.')],
        fields: ['image'],
        retry: true,
        jobId: id,
      };
    case 'noImage':
      return {
        message: l10n.t('The platform returned no image.'),
        advice: [l10n.t('Try a smaller image: large results are dropped.')],
        fields: ['image'],
        retry: true,
        jobId: id,
      };
  }
}

function ofCancel({ jobId }: UnconfirmedCancelError): ImageEditFailure {
  return {
    message: l10n.t('The cancellation is not confirmed. The edit may still run and be billed.'),
    ...plain,
    retry: false,
    ...(jobId !== undefined && { jobId: foreign(jobId).text }),
  };
}

function ofSource({ code, message }: SourceError): ImageEditFailure {
  const needsLocal = code === 'needsAddress';
  const remedy = { label: l10n.t('Switch Connection'), action: 'switchConnection' } as const;
  // The image of a result is loaded again, and the source is unchanged.
  if (code === 'notLoaded') return { message: safe(message), ...plain, retry: true };
  return { message: safe(message), advice: [], fields: ['image'], retry: false, ...(needsLocal && { remedy }) };
}

const REPEATABLE: readonly FetchImageError['code'][] = ['status', 'unreachable', 'timeout'];

function ofFetch({ code, shown: text }: FetchImageError): ImageEditFailure {
  const advice = code === 'expired' ? [l10n.t('Results expire after 7 days. Edit again.')] : [];
  return { message: text.text, advice, fields: ['image'], retry: REPEATABLE.includes(code) };
}

function ofRequest({ kind, message, errors, jobId }: ApiError): ImageEditFailure {
  const job = jobId === undefined ? {} : { jobId: foreign(jobId).text };
  const details = errors.length > 0 ? errors.slice(0, 5).join('; ') : message;
  switch (kind) {
    case 'unauthorized':
      return {
        message: shown`The API key was not accepted (${details}).`.text,
        ...plain,
        retry: true,
        remedy: REPLACE_KEY,
      };
    case 'forbidden':
      return {
        message: shown`The API key cannot edit images (${details}).`.text,
        ...plain,
        retry: true,
        remedy: REPLACE_KEY,
      };
    case 'rateLimited':
      return {
        message: shown`Too many edits for now (${details}).`.text,
        ...plain,
        retry: true,
        ...job,
      };
    case 'network':
    case 'timeout':
      return {
        message: shown`The platform cannot be reached (${details}).`.text,
        advice: [
          jobId === undefined
            ? l10n.t('If you try again, the image may be edited and billed twice.')
            : l10n.t('The job continues and can be billed.'),
        ],
        fields: [],
        retry: true,
        ...job,
      };
    case 'notFound':
      return { message: shown`This platform has no image editing (${details}).`.text, ...plain, retry: true };
    case 'validation':
      return {
        message: shown`The request was refused (${details}).`.text,
        advice: [l10n.t('Check the image and the prompt.')],
        fields: ['image', 'prompt'],
        retry: true,
        ...job,
      };
    default:
      return {
        message: shown`The platform failed (${details}).`.text,
        ...plain,
        retry: true,
        remedy: SHOW_LOG,
        ...job,
      };
  }
}

export const IMAGE_EDIT_PAGE: WebviewPage<ImageEditToHost> = {
  name: 'imageEdit',
  iconName: 'image-edit',
  title: l10n.t('Edit Image'),
  showsPictures: true,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const IMAGE_EDIT_COMMANDS: Readonly<Record<ImageEditAction, CommandId>> = {
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  switchConnection: 'cloudCompute.connections.switch',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
