import { formContent } from '../../../src/features/jobs/form/formView.ts';
import { formFields } from '../../../src/features/jobs/model/form/fields.ts';
import { changesForValue, withChanges } from '../../../src/features/jobs/model/jobFileChanges.ts';
import { JsonLanguage } from '../../../src/features/jobs/model/schema/jsonLanguage.ts';
import type { JsonSchema } from '../../../src/features/jobs/model/schema/schemaFiles.ts';
import { ToHost, type JobFormView } from '../../../src/webviews/jobForm/messages.ts';
import type { WebviewPage } from '../webviewPage.ts';

/* A form with the code of the host, without an editor. */

export const SCHEMA: JsonSchema = {
  type: 'object',
  required: ['prompt', 'image'],
  additionalProperties: false,
  properties: {
    steps: { type: 'integer', minimum: 1, maximum: 50, default: 20, description: 'Number of denoising steps.' },
    prompt: { type: 'string', title: 'Prompt', description: 'What the image shows.', minLength: 3 },
    image: {
      type: 'string',
      contentEncoding: 'base64',
      contentMediaType: 'image/png',
      description: 'Image to change.',
    },
    scheduler: { enum: ['DDIM', 'K-LMS'], default: 'DDIM' },
    upscale: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    mask_url: { type: 'string' },
    size: {
      type: 'object',
      required: ['width'],
      properties: { width: { type: 'integer', minimum: 64 }, height: { type: 'integer' } },
    },
    extra: { description: 'Anything else.' },
    token: { type: 'string', format: 'password' },
  },
};

/** Returns the host side of a page: it handles its messages and sends it views. */
export function hostOf(
  { page, receive, sent }: Pick<WebviewPage, 'page' | 'receive' | 'sent'>,
  start: string,
  schema = SCHEMA,
) {
  const fields = formFields(schema);
  const language = new JsonLanguage({ files: { read: () => Promise.reject(new Error('none')) } });
  const host = {
    text: start,
    handled: 0,
    revision: 0,
    refusals: 0,
    ran: [] as boolean[],
    changes: {} as Partial<JobFormView>,
  };
  const send = async () => {
    const input = { url: 'file:///ws/in.json', schema };
    const { values, problems, blocked } = await formContent(host.text, fields, (text) =>
      language.check(text, [], input),
    );
    await receive({
      type: 'view',
      view: {
        ...{
          endpoint: 'painter',
          connection: 'Local Platform',
          source: 'worker/handler.py',
          fields,
          values,
          problems,
          blocked,
        },
        ...{ refusals: host.refusals, revision: host.revision, ...host.changes },
      } satisfies JobFormView,
    });
  };
  /** Handles the messages since the last call, and shows the new content. */
  const settle = async () => {
    for (const message of (await sent()).slice(host.handled)) {
      host.handled++;
      const one = ToHost.parse(message);
      if ('revision' in one) host.revision = one.revision;
      if (one.type === 'change') host.text = withChanges(host.text, changesForValue(host.text, one.path, one.value));
      if (one.type === 'run') {
        host.ran.push(one.force);
        host.refusals++;
      }
    }
    await send();
  };
  return { host, settle, page };
}
