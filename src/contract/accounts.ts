/** The team that a console session acts for (interface document, Authentication 4). */
export const TEAM_HEADER = 'X-Team-Id';
