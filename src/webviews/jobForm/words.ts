import * as l10n from '@vscode/l10n';
import { language } from '../language/language.ts';
import type { JobFormValue } from './messages.ts';

const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** Describes a file in a value, such as `image/png, 1.2 MB`. */
export function fileWords({ bytes, mediaType }: NonNullable<JobFormValue['large']>): string {
  const size =
    bytes < 1_024
      ? l10n.t`${bytes} B`
      : bytes < 1_048_576
        ? l10n.t`${decimal.format(bytes / 1_024)} KB`
        : l10n.t`${decimal.format(bytes / 1_048_576)} MB`;
  return mediaType === undefined ? size : `${mediaType}, ${size}`;
}
