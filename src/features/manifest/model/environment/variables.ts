import * as l10n from '@vscode/l10n';

/* References in the values of `env`, such as `${env:NAME}`. They are resolved when the endpoint is created or updated. */

export const variableSources = [
  {
    name: 'env',
    meaning: l10n.t('Environment variable of the editor, resolved when the endpoint is created or updated.'),
  },
  { name: 'secret', meaning: l10n.t('Stored secret, resolved when the endpoint is created or updated.') },
] as const;
