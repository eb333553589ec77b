/* Reads the language and the texts of the page from its document. A page imports this module first, because modules contain texts. */

import * as l10n from '@vscode/l10n';
import { setLanguage } from './language.ts';

const texts = document.getElementById('texts')?.textContent;
if (texts) l10n.config({ contents: texts });
setLanguage(document.documentElement.lang);
